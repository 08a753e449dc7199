//! Frame and audio: a game loop of 16.6 ms frames beside an audio callback of 5 ms, both of which allocate.
//!
//! ```text
//! frame     │ objects of the frame, sounds ► │ other work │ objects freed │ waits …       │ every 16.6 ms
//!           │ at a new level: the old level freed, the new one loaded, in one frame      │ every `level` frames
//! callback  │ ► sounds of the game freed, buffers allocated, filled, freed │ waits │        every 5 ms
//! ```
//!
//! What counts is not how many calls a second there are, but how many frames and callbacks end after their time, and how
//! long the worst of them spent in allocation. The threads have no real-time priority, and the system may wake them late;
//! how late is printed as well, for that is not the allocator's doing. Its time is that of the parts which allocate.

use core::array;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::Block;
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;
use crate::sizes::doublings;

const FRAME: u64 = 16_666_667;
const CALLBACK: u64 = 5_000_000;
/// Sounds on their way to the audio thread.
const SOUNDS: usize = 64;
/// Buffers that outlive their callback, each until the next one has come round.
const RING: usize = 16;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "frame-audio",
    parameters: &[
        scaled("frames", 75, "frames of 16.6 ms"),
        fixed("objects", 3000, "blocks of a frame, 16 to 512 bytes"),
        fixed("level", 25, "frames of a level"),
        fixed("level-blocks", 12_000, "blocks of a level, 32 bytes to 8 KiB").least(0),
        fixed("lasting", 5000, "blocks that stay, of which 20 a frame are replaced").least(0),
        fixed("buffers", 48, "blocks of a callback, 64 bytes to 2 KiB").least(0),
        fixed("other", 4000, "microseconds of other work in a frame").least(0),
    ],
    run,
};

#[derive(Debug, Default)]
struct Periods {
    /// Time in the parts that allocate, of each period.
    ns: Vec<u64>,
    /// From when each began by the clock until it ended.
    whole: Vec<u64>,
    missed: usize,
    /// The latest that the system woke the thread.
    late: u64,
    calls: u64,
}

impl Periods {
    fn for_so_many(count: usize) -> Self {
        Self { ns: Vec::with_capacity(count), whole: Vec::with_capacity(count), ..Self::default() }
    }

    /// Waits for the period that begins at `time`; late only counts what the system adds to a wait.
    fn wait(&mut self, time: u64) {
        if timing::now() >= time {
            return;
        }
        sleep_until(time);
        self.late = self.late.max(timing::now() - time);
    }

    /// The period that began at `begin` has ended, and should have before `length` went by.
    fn ended(&mut self, ns: u64, begin: u64, length: u64) {
        let whole = timing::now().saturating_sub(begin);
        self.ns.push(ns);
        self.whole.push(whole);
        self.missed += usize::from(whole > length);
    }

    fn print(&mut self, results: &mut Results, name: &str, length: u64, names: [&str; 4]) {
        results.histogram(name, self.whole.iter().copied(), length);
        results.histogram(&format!("{name}-in-malloc"), self.ns.iter().copied(), length);
        let us = |ns: u64| format!("{:.1}", ns as f64 / 1e3);
        self.ns.sort_unstable();
        let at = |i: usize| self.ns.get(i).copied().unwrap_or(0);
        let [missed, worst, median, late] = names;
        results.value(missed, self.missed, "count");
        results.value(worst, us(at(self.ns.len().saturating_sub(1))), "us");
        results.value(median, us(at(self.ns.len() / 2)), "us");
        results.value(late, us(self.late), "us");
    }
}

fn run(arguments: &Arguments, results: &mut Results) {
    let frames = arguments.size("frames");
    let callbacks = (frames as u64 * FRAME / CALLBACK).max(1);
    let (sounds, heard) = sync_channel(SOUNDS);
    let buffers = arguments.size("buffers");
    let seed = arguments.seed;
    let ready = AtomicBool::new(false);
    let (mut game, peak, mut audio) = std::thread::scope(|scope| {
        let ready = &ready;
        let audio = scope.spawn(move || {
            let mut audio = Audio::new(seed, buffers, heard);
            let mut periods = Periods::for_so_many(usize::try_from(callbacks).unwrap_or(0));
            while !ready.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            let start = timing::now();
            for i in 0..callbacks {
                let begin = start + i * CALLBACK;
                periods.wait(begin);
                let before = timing::now();
                periods.calls += audio.callback();
                periods.ended(timing::now() - before, begin, CALLBACK);
            }
            audio.end();
            periods
        });
        let mut game = Game::new(arguments, sounds);
        ready.store(true, Ordering::Release);
        let mut periods = Periods::for_so_many(frames);
        let start = timing::now();
        for i in 0..frames {
            let begin = start + i as u64 * FRAME;
            periods.wait(begin);
            let ns = game.frame(i);
            periods.ended(ns, begin, FRAME);
        }
        periods.calls = game.calls;
        let peak = game.peak;
        game.end();
        (periods, peak, audio.join().unwrap_or_else(|_| wrong("the audio thread panicked")))
    });
    let ns = game.ns.iter().chain(&audio.ns).sum();
    results.work(game.calls + audio.calls, ns);
    results.peak_live(peak);
    let names =
        ["missed_callbacks", "worst_callback_us", "median_callback_us", "latest_callback_us"];
    audio.print(results, "callback", CALLBACK, names);
    let names = ["missed_frames", "worst_frame_us", "median_frame_us", "latest_frame_us"];
    game.print(results, "frame", FRAME, names);
}

fn sleep_until(ns: u64) {
    let time = libc::timespec {
        tv_sec: (ns / 1_000_000_000).cast_signed(),
        tv_nsec: (ns % 1_000_000_000).cast_signed(),
    };
    // A signal wakes it early; then it sleeps again.
    while timing::now() < ns {
        let flags = libc::TIMER_ABSTIME;
        // SAFETY: `time` is a live local, and nobody asks for the rest.
        unsafe {
            libc::clock_nanosleep(
                libc::CLOCK_MONOTONIC,
                flags,
                &raw const time,
                core::ptr::null_mut(),
            )
        };
    }
}

struct Audio {
    rng: Rng,
    buffers: Vec<Block>,
    count: usize,
    ring: [Block; RING],
    heard: Receiver<Block>,
}

impl Audio {
    fn new(seed: u64, count: usize, heard: Receiver<Block>) -> Self {
        let rng = Rng::new(seed ^ 0xa0d1);
        let ring = array::from_fn(|_| Block::NONE);
        Self { rng, buffers: Vec::with_capacity(count), count, ring, heard }
    }

    /// One callback; the calls it made.
    fn callback(&mut self) -> u64 {
        let mut calls = 2 * self.count as u64;
        for sound in self.heard.try_iter() {
            sound.free();
            calls += 1;
        }
        for _ in 0..self.count {
            let key = self.rng.next() >> 32;
            self.buffers.push(Block::touched(doublings(&mut self.rng, 6, 11), key));
        }
        // The first stays for a while.
        let place = self.rng.below(RING);
        if let Some(first) = self.buffers.first_mut() {
            core::mem::swap(first, &mut self.ring[place]);
        }
        self.buffers.drain(..).for_each(Block::free);
        calls
    }

    /// Frees all that is left; the game may still send sounds, which it waits for.
    fn end(self) {
        self.ring.into_iter().for_each(Block::free);
        self.heard.into_iter().for_each(Block::free);
    }
}

struct Game {
    rng: Rng,
    objects: Vec<Block>,
    per_frame: usize,
    level: Vec<Block>,
    level_blocks: usize,
    frames_of_a_level: usize,
    lasting: Vec<Block>,
    other_ns: u64,
    sounds: SyncSender<Block>,
    calls: u64,
    live: usize,
    peak: usize,
}

impl Game {
    fn new(arguments: &Arguments, sounds: SyncSender<Block>) -> Self {
        let (per_frame, level_blocks) = (arguments.size("objects"), arguments.size("level-blocks"));
        let mut game = Self {
            rng: Rng::new(arguments.seed),
            objects: Vec::with_capacity(per_frame),
            per_frame,
            level: Vec::with_capacity(level_blocks),
            level_blocks,
            frames_of_a_level: arguments.size("level").max(1),
            lasting: Vec::with_capacity(arguments.size("lasting")),
            other_ns: arguments.get("other").saturating_mul(1000),
            sounds,
            calls: 0,
            live: 0,
            peak: 0,
        };
        for _ in 0..arguments.size("lasting") {
            let block = game.allocate(5, 12);
            game.lasting.push(block);
        }
        game
    }

    fn allocate(&mut self, low: u32, high: u32) -> Block {
        let key = self.rng.next() >> 32;
        let block = Block::touched(doublings(&mut self.rng, low, high), key);
        self.calls += 1;
        self.live += block.size();
        block
    }

    fn free(&mut self, block: Block) {
        self.calls += 1;
        self.live -= block.size();
        block.free();
    }

    /// One frame; the time of the parts that allocate.
    fn frame(&mut self, number: usize) -> u64 {
        let begin = timing::now();
        if number.is_multiple_of(self.frames_of_a_level) {
            self.change_level();
        }
        for _ in 0..self.per_frame {
            let block = self.allocate(4, 9);
            self.objects.push(block);
        }
        for _ in 0..20.min(self.lasting.len()) {
            let block = self.allocate(5, 12);
            let place = self.rng.below(self.lasting.len());
            let old = core::mem::replace(&mut self.lasting[place], block);
            self.free(old);
        }
        for _ in 0..8 {
            let sound = self.allocate(6, 11);
            // What is not heard in time is dropped.
            self.live -= sound.size();
            if let Err(refused) = self.sounds.try_send(sound) {
                match refused {
                    std::sync::mpsc::TrySendError::Full(sound)
                    | std::sync::mpsc::TrySendError::Disconnected(sound) => sound.free(),
                }
                self.calls += 1;
            }
        }
        self.peak = self.peak.max(self.live);
        let allocated = timing::now();
        while timing::now() - allocated < self.other_ns {
            core::hint::spin_loop();
        }
        let other_ended = timing::now();
        let mut objects = core::mem::take(&mut self.objects);
        objects.drain(..).for_each(|block| self.free(block));
        self.objects = objects;
        (allocated - begin) + (timing::now() - other_ended)
    }

    fn change_level(&mut self) {
        let mut level = core::mem::take(&mut self.level);
        level.drain(..).for_each(|block| self.free(block));
        for _ in 0..self.level_blocks {
            level.push(self.allocate(5, 13));
        }
        self.level = level;
    }

    fn end(self) {
        let all = self.objects.into_iter().chain(self.level).chain(self.lasting);
        all.for_each(Block::free);
    }
}
