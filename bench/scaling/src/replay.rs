//! A record's threads call the flagship, which stands on a simulated system.
//!
//! - **P1** a block is freed by the thread that freed it in the record, after it was allocated: who comes earlier waits.
//! - **P2** each call of the program is preceded by its own work, and the first line of a block is written to when it was
//!   allocated and read when it is freed.
//! - **P3** where it is asked for, there are never more blocks than there were at most in the record: who would allocate
//!   one more waits for a free. It stands for a program's own bounds, which a record does not have.

use core::cell::{Cell, RefCell};
use core::fmt::{self, Write as _};
use core::sync::atomic::{AtomicUsize as Word, Ordering};
use std::rc::Rc;

use base::Malloc as _;
use base::lock::Park;
use base::sync::AtomicUsize;
use base::sync::simulated::{self, Listener};
use malloc::heapwright::Flagship;
use source::os::Os;
use source::os::imp::peek::Peek;
use source::{Claim, HugePages, Mapped, Move, PageSource, Report, Stretch};
use thread::Tls;
use thread::tls::{CACHE, SLOTS, empty};

use crate::machine::{Access, Layout, NS, Time};
use crate::stream::{Operation, Streams};
use crate::world::{self, Cost, KINDS, Key, Tally};
use crate::{Settings, Shards};

/// Instructions of a call's fast path.
const CALL: Time = 3 * NS;
/// A system call, and each page of 4 KiB that it touches.
const SYSTEM_CALL: Time = 500 * NS;
const PAGE: Time = 50 * NS;
/// From waking a thread to its running.
const WAKE: Time = 5000 * NS;
/// What starting a thread takes from whoever starts it.
const START: Time = 8_000 * NS;
/// A turn of a loop that waits.
const SPIN: Time = 40 * NS;
/// Calls between two looks at the memory that is held.
const SAMPLE: u64 = 64;

/// The system: Linux's memory, simulated time, processors and waits.
#[derive(Debug)]
struct Simulated {
    layout: Layout,
    says_nodes: bool,
}

fn system_call(bytes: usize) {
    world::spend(Cost::System, SYSTEM_CALL + PAGE * (bytes as u64 / 4096).min(512));
}

// SAFETY: every page changes state only in `Os`, which keeps the contract.
unsafe impl PageSource for Simulated {
    fn page_size(&self) -> usize {
        4096
    }

    fn reserve(&self, len: usize, align: usize) -> Option<usize> {
        system_call(0);
        Os.reserve(len, align)
    }

    fn reserve_at(&self, at: usize, len: usize) -> Claim {
        system_call(0);
        Os.reserve_at(at, len)
    }

    fn claim(&self, at: usize, len: usize) -> Claim {
        system_call(0);
        Os.claim(at, len)
    }

    fn map(&self, len: usize, align: usize) -> Option<usize> {
        system_call(0);
        Os.map(len, align)
    }

    unsafe fn commit(&self, at: usize, len: usize) -> bool {
        system_call(0);
        // SAFETY: the caller's promise is passed on.
        unsafe { Os.commit(at, len) }
    }

    unsafe fn decommit(&self, at: usize, len: usize) -> Mapped {
        system_call(len);
        // SAFETY: the caller's promise is passed on.
        unsafe { Os.decommit(at, len) }
    }

    unsafe fn purge(&self, at: usize, len: usize) -> bool {
        system_call(len);
        // SAFETY: the caller's promise is passed on.
        unsafe { Os.purge(at, len) }
    }

    unsafe fn purge_each(&self, _: &[Stretch]) -> usize {
        0
    }

    unsafe fn release(&self, at: usize, len: usize) -> bool {
        system_call(len);
        // SAFETY: the caller's promise is passed on.
        unsafe { Os.release(at, len) }
    }

    unsafe fn resize(&self, at: usize, old: usize, new: usize, align: usize) -> Option<usize> {
        system_call(0);
        // SAFETY: the caller's promise is passed on.
        unsafe { Os.resize(at, old, new, align) }
    }

    unsafe fn renew(&self, at: usize, len: usize) -> bool {
        system_call(0);
        // SAFETY: the caller's promise is passed on.
        unsafe { Os.renew(at, len) }
    }

    unsafe fn move_pages(&self, from: usize, to: usize, len: usize) -> Move {
        system_call(len);
        // SAFETY: the caller's promise is passed on.
        unsafe { Os.move_pages(from, to, len) }
    }

    unsafe fn prefer_huge(&self, _: usize, _: usize, _: bool) {
        system_call(0);
    }

    fn huge_pages(&self) -> HugePages {
        HugePages::WhenAsked
    }

    fn resident(&self, at: usize, pages: &mut [u8]) -> bool {
        system_call(0);
        Os.resident(at, pages)
    }

    fn is_confined(&self) -> bool {
        false
    }

    fn address_limit(&self) -> Option<usize> {
        None
    }

    fn has_addresses(&self, _len: usize) -> bool {
        true
    }

    fn physical_memory(&self) -> usize {
        256 << 30
    }

    fn memory_limit(&self) -> Option<usize> {
        None
    }

    fn charges_commit(&self) -> bool {
        false
    }

    fn now_ms(&self) -> u64 {
        world::here().1 / (1_000_000 * NS)
    }

    fn is_only_thread(&self) -> bool {
        false
    }

    fn node(&self) -> u32 {
        let node = if self.says_nodes { self.layout.node_of(world::here().0) } else { 0 };
        node.try_into().unwrap_or_default()
    }
}

// SAFETY: the simulated threads are numbered.
unsafe impl Park for Simulated {
    fn me() -> usize {
        (world::me() + 1) * 8
    }

    fn wait(word: &AtomicUsize, expected: usize) {
        world::spend(Cost::System, SYSTEM_CALL);
        if word.load(Ordering::Relaxed) == expected {
            world::sleep(Key::Word(core::ptr::from_ref(word).addr()));
        }
    }

    fn wake_one(word: &AtomicUsize) {
        world::spend(Cost::System, SYSTEM_CALL);
        world::wake(Key::Word(core::ptr::from_ref(word).addr()), 1, WAKE);
    }

    fn nap(word: &AtomicUsize, expected: usize) {
        Self::wait(word, expected);
    }
}

impl Report for Simulated {
    fn print(message: fmt::Arguments<'_>) {
        eprintln!("{message}");
    }

    fn fatal(message: fmt::Arguments<'_>) -> ! {
        eprintln!("{message}");
        std::process::abort()
    }
}

/// Slots for each simulated thread.
#[derive(Debug)]
struct Slots(Vec<[Word; SLOTS]>);

impl Slots {
    fn new(threads: usize) -> Self {
        let slot = |slot| Word::new(if slot < CACHE { empty() } else { 0 });
        Self((0..threads).map(|_| core::array::from_fn(slot)).collect())
    }
}

// SAFETY: each thread has its own, which start as they shall.
unsafe impl Tls for Slots {
    fn load(&self, slot: usize) -> usize {
        self.0[world::me()][slot].load(Ordering::Relaxed)
    }

    fn store(&self, slot: usize, value: usize) {
        self.0[world::me()][slot].store(value, Ordering::Relaxed);
    }

    fn address(&self) -> usize {
        self.0[world::me()].as_ptr().addr()
    }

    fn peek(&self, _: usize, _: &mut [usize; SLOTS]) -> Peek {
        Peek::Refused
    }

    fn watch(&self, _: usize) -> bool {
        true
    }
}

type Heap = Flagship<Simulated, Slots>;

static LISTENER: Listener = Listener {
    access: |address, access| {
        let access = match access {
            simulated::Access::Load => Access::Load,
            simulated::Access::Store => Access::Store,
            simulated::Access::Update => Access::Update,
            simulated::Access::Prefetch => Access::Prefetch,
        };
        world::access(address, access, false);
    },
    compared: |address, was_free, done| world::tried_lock(address, was_free && done),
    spin: || world::spend(Cost::System, SPIN),
};

/// One run.
struct Run {
    heap: &'static Heap,
    streams: Streams,
    /// Each block's address, 0 before it is there.
    blocks: Vec<Cell<usize>>,
    sizes: Vec<Cell<usize>>,
    /// The world's number of each thread.
    numbers: Vec<Cell<usize>>,
    settings: Settings,
    seen: RefCell<Seen>,
}

/// What was seen on the way.
#[derive(Debug, Default)]
struct Seen {
    calls: u64,
    counted: u64,
    since: Time,
    in_calls: Time,
    longest: Time,
    blocks: usize,
    live: usize,
    peak_live: usize,
    peak_held: usize,
}

/// Simulates a record; its figures, a line each.
pub(crate) fn run(streams: Streams, settings: Settings) -> Result<String, String> {
    let says_nodes = settings.shards == Shards::Node;
    let layout = settings.layout();
    // All that is recorded, and the world's first, which only starts them.
    let slots = Slots::new(streams.threads.len() + 1);
    let heap: &'static Heap =
        Box::leak(Box::new(Flagship::new(Simulated { layout, says_nodes }, slots)));
    simulated::listen(&LISTENER);
    let run = Rc::new(Run {
        heap,
        blocks: vec![Cell::new(0); streams.blocks],
        sizes: vec![Cell::new(0); streams.blocks],
        numbers: vec![Cell::new(usize::MAX); streams.threads.len()],
        streams,
        settings,
        seen: RefCell::default(),
    });
    let main = Rc::clone(&run);
    let (tally, end) = world::run(layout, settings.cores, move || {
        name_locks(main.heap);
        match settings.shards {
            Shards::One => main.heap.fix_shards(1),
            Shards::Number => main.heap.fix_shards(16),
            Shards::Split | Shards::Node => (),
        }
        main.numbers[0].set(world::me());
        main.thread(0);
    })?;
    let seen = run.seen.borrow();
    Ok(figures(&tally, &seen, end, run.heap.shards(), &settings))
}

/// What locks guard; the order of the figures.
const GUARDED: [&str; KINDS] =
    ["shelves", "pages", "descriptors", "threads", "set of shards", "huge blocks", "", ""];

fn name_locks(heap: &Heap) {
    heap.each_lock_by_name(|name, lock| {
        let kind = GUARDED.iter().position(|&guarded| guarded == name).unwrap_or(KINDS - 1);
        world::know_lock(core::ptr::from_ref(lock).addr(), kind);
    });
}

impl Run {
    /// The life of a thread of the record.
    fn thread(self: &Rc<Self>, number: usize) {
        for at in 0..self.streams.threads[number].len() {
            match self.streams.threads[number][at] {
                Operation::Allocate { block, size } => {
                    self.wait_for_room();
                    let address = self.call(|heap| heap.malloc(bytes(size)).addr());
                    self.enter(block, address, size);
                }
                Operation::Free { block } => {
                    let address = self.leave(block);
                    // SAFETY: a live block; P1: nobody else frees it.
                    self.call(|heap| unsafe { heap.free(pointer(address)) });
                }
                Operation::Resize { old, new, size } => {
                    let address = self.leave(old);
                    let resize = |heap: &Heap| {
                        // SAFETY: a live block; P1: nobody else has it.
                        unsafe { heap.realloc(pointer(address), bytes(size)) }.addr()
                    };
                    let address = self.call(resize);
                    self.enter(new, address, size);
                }
                Operation::Start { thread } => {
                    world::spend(Cost::Other, START);
                    let run = Rc::clone(self);
                    let started = world::start(move || run.thread(thread));
                    self.numbers[thread].set(started);
                }
                Operation::Join { thread } => {
                    let thread = self.numbers[thread].get();
                    while thread != usize::MAX && !world::has_ended(thread) {
                        world::sleep(Key::End(thread));
                    }
                }
            }
        }
        self.heap.thread_ended();
    }

    /// One call of the allocator, with what the program does before it.
    fn call<R>(&self, of: impl FnOnce(&Heap) -> R) -> R {
        world::spend(Cost::Program, self.settings.work * NS);
        let begun = world::here().1;
        world::spend(Cost::Instructions, CALL);
        let answer = of(self.heap);
        let ended = world::here().1;
        let mut seen = self.seen.borrow_mut();
        seen.calls += 1;
        if seen.calls == self.streams.calls / 3 {
            // A third is there to warm up.
            world::count_from_now();
            seen.since = ended;
        } else if seen.calls > self.streams.calls / 3 {
            seen.counted += 1;
            seen.in_calls += ended - begun;
            seen.longest = seen.longest.max(ended - begun);
        }
        if seen.calls.is_multiple_of(SAMPLE) {
            let held = world::muted(|| self.heap.held_bytes());
            seen.peak_held = seen.peak_held.max(held);
        }
        answer
    }

    /// A block is there.
    fn enter(&self, block: u32, address: usize, size: u64) {
        assert!(address != 0, "the simulated system refused memory");
        self.blocks[block as usize].set(address);
        self.sizes[block as usize].set(bytes(size));
        world::access(address, Access::Store, true);
        world::wake(Key::Block(block), usize::MAX, 0);
        let mut seen = self.seen.borrow_mut();
        seen.blocks += 1;
        seen.live += bytes(size);
        seen.peak_live = seen.peak_live.max(seen.live);
    }

    /// Waits while there are as many blocks as there were at most (P3), if that is asked for.
    fn wait_for_room(&self) {
        if self.settings.is_bounded && self.seen.borrow().blocks >= self.streams.most {
            world::sleep(Key::Room);
        }
    }

    /// The address of a block that is about to be freed.
    fn leave(&self, block: u32) -> usize {
        while self.blocks[block as usize].get() == 0 {
            world::sleep(Key::Block(block));
        }
        let address = self.blocks[block as usize].get();
        world::access(address, Access::Load, true);
        {
            let mut seen = self.seen.borrow_mut();
            seen.live -= self.sizes[block as usize].get();
            seen.blocks -= 1;
        }
        world::wake(Key::Room, 1, 0);
        address
    }
}

fn bytes(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

fn pointer(address: usize) -> *mut u8 {
    core::ptr::with_exposed_provenance_mut(address)
}

#[expect(clippy::cast_precision_loss, reason = "printed with few digits")]
fn figures(tally: &Tally, seen: &Seen, end: Time, shards: u32, settings: &Settings) -> String {
    let mut lines = String::new();
    let calls = seen.counted.max(1) as f64;
    let mut line = |name: &str, value: f64| {
        // A string takes all that is written.
        let _ = writeln!(lines, "{name} {value:.4}");
    };
    let each = |time: Time| time as f64 / NS as f64 / calls;
    let busy = (tally.program + seen.in_calls) as f64;
    line("calls", seen.counted as f64);
    line("call_ns", each(seen.in_calls));
    line("program_ns", each(tally.program));
    line("instructions_ns", each(tally.instructions));
    line("lines_ns", each(tally.lines));
    line("system_ns", each(tally.system));
    for (kind, name) in GUARDED.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
        let name = name.replace(' ', "-");
        line(&format!("wait_{name}_ns"), each(tally.waits[kind]));
        line(&format!("entered_{name}"), tally.entered[kind] as f64 / calls);
        line(&format!("contended_{name}"), tally.contended[kind] as f64 / calls);
    }
    line("longest_us", seen.longest as f64 / (1000 * NS) as f64);
    line("calls_a_us", calls * (1000 * NS) as f64 / (end - seen.since).max(1) as f64);
    line("busy_cores", busy / (end - seen.since).max(1) as f64);
    line("cores", settings.cores as f64);
    line("shards", f64::from(shards));
    line("peak_held_mib", seen.peak_held as f64 / f64::from(1 << 20));
    line("peak_live_mib", seen.peak_live as f64 / f64::from(1 << 20));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program whose four other threads each allocate blocks, which the next of them frees.
    fn streams() -> Streams {
        let (others, each) = (4, 3000u32);
        let mut threads = vec![Vec::new(); others + 1];
        for thread in 1..=others {
            threads[0].push(Operation::Start { thread });
            let first = |thread: usize| u32::try_from(thread - 1).unwrap_or_default() * each;
            for nth in 0..each {
                let size = u64::from(nth % 40 * 30);
                threads[thread].push(Operation::Allocate { block: first(thread) + nth, size });
                let block = first(thread % others + 1) + nth;
                threads[thread].push(Operation::Free { block });
            }
        }
        threads[0].extend((1..=others).map(|thread| Operation::Join { thread }));
        let blocks = others * each as usize;
        Streams { threads, blocks, calls: 2 * blocks as u64, most: blocks }
    }

    fn figures(cores: usize, shards: Shards) -> String {
        let settings = Settings { cores, shards, is_mesh: false, work: 20, is_bounded: false };
        run(streams(), settings).expect("it ends")
    }

    fn figure(figures: &str, name: &str) -> f64 {
        let line = figures.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.parse().ok()).expect("a figure")
    }

    #[test]
    fn a_record_is_simulated_the_same_way_each_time() {
        let first = figures(4, Shards::Node);
        assert_eq!(first, figures(4, Shards::Node));
        assert_eq!(figure(&first, "calls"), 16_000.0, "two thirds");
        assert!(figure(&first, "lines_ns") > 0.0, "threads exchange blocks");
    }

    #[test]
    fn one_processor_waits_for_no_line_and_no_lock() {
        let alone = figures(1, Shards::Split);
        assert_eq!(figure(&alone, "contended_shelves"), 0.0);
        assert_eq!(figure(&alone, "shards"), 1.0);
        assert!(figure(&alone, "busy_cores") <= 1.0);
    }

    #[test]
    fn ways_to_choose_a_shard_are_what_they_are_called() {
        assert_eq!(figure(&figures(4, Shards::One), "shards"), 1.0);
        assert_eq!(figure(&figures(4, Shards::Number), "shards"), 16.0);
    }
}
