//! Threads that run by turns on simulated processors: whoever's clock is the earliest goes on.
//!
//! ```text
//! processor 0   ──work──┤access├──work──┤access│ ‥ waits ‥ ├──        each has a clock
//! processor 1   ─────work─────┤access├──────────              an access happens when no other clock is behind
//! ```
//!
//! - **W1** accesses happen in the order of the clocks at which they begin, so every run is the same.
//! - **W2** a processor runs a thread until it waits or ends, and then the one that has been ready longest; a thread that
//!   is ready takes the processor it was on before, if that is idle, or the first that is.
//!
//! One thread of the system does it all. A simulated thread is a coroutine, and the functions here are called inside of one.

use core::cell::{Cell, RefCell};
use core::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use corosensei::{Coroutine, CoroutineResult, Yielder};

use crate::machine::{Access, HIT, LOCKED, Layout, Lines, MOST, Time};

/// What time is spent on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// The program itself.
    Program,
    /// Instructions of the allocator.
    Instructions,
    /// Cache lines that another processor has written to.
    Lines,
    /// Waiting for a lock, by kind.
    Lock(usize),
    /// System calls.
    System,
    /// Nobody's account.
    Other,
}

/// The most kinds of locks.
pub(crate) const KINDS: usize = 8;

/// Sums of what happened.
#[derive(Debug, Default, Clone)]
pub(crate) struct Tally {
    /// Time in the program, outside of the allocator.
    pub(crate) program: Time,
    /// The allocator's instructions.
    pub(crate) instructions: Time,
    /// The allocator's waits for cache lines.
    pub(crate) lines: Time,
    /// Its system calls.
    pub(crate) system: Time,
    /// Its waits for locks, by kind.
    pub(crate) waits: [Time; KINDS],
    /// How often a lock was entered.
    pub(crate) entered: [u64; KINDS],
    /// How often it was not free at once.
    pub(crate) contended: [u64; KINDS],
}

/// What a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// That the word at an address changes.
    Word(usize),
    /// That a block is there.
    Block(u32),
    /// That a thread ends.
    End(usize),
    /// That there is room for more blocks, or that nobody can go on otherwise.
    Room,
}

struct Thread {
    body: Option<Coroutine<(), (), ()>>,
    yielder: *const Yielder<(), ()>,
    core: usize,
    has_ended: bool,
    /// The kind of lock that it waits for, and since when.
    waits: Option<(usize, Time)>,
}

struct Core {
    clock: Time,
    runs: Option<usize>,
}

struct World {
    lines: Lines,
    cores: Vec<Core>,
    /// Processors with a thread to run, but for the one that is running.
    due: BinaryHeap<Reverse<(Time, usize)>>,
    ready: VecDeque<(Time, usize)>,
    threads: Vec<Thread>,
    running: Option<usize>,
    sleepers: HashMap<Key, VecDeque<usize>>,
    locks: HashMap<usize, usize>,
    tally: Tally,
    /// Accesses happen, and cost nothing.
    is_muted: bool,
}

thread_local! {
    static WORLD: RefCell<Option<World>> = const { RefCell::new(None) };
    static ME: Cell<usize> = const { Cell::new(0) };
}

fn with<R>(of: impl FnOnce(&mut World) -> R) -> Option<R> {
    WORLD.with_borrow_mut(|world| world.as_mut().map(of))
}

impl World {
    fn clock(&mut self) -> &mut Time {
        let core = self.running.map_or(0, |thread| self.threads[thread].core);
        &mut self.cores[core].clock
    }

    fn add(&mut self, cost: Cost, time: Time) {
        let tally = &mut self.tally;
        match cost {
            Cost::Program => tally.program += time,
            Cost::Instructions => tally.instructions += time,
            Cost::Lines => tally.lines += time,
            Cost::System => tally.system += time,
            Cost::Other => (),
            Cost::Lock(kind) => tally.waits[kind] += time,
        }
    }

    /// A thread may go on from `time` on (W2).
    fn make_ready(&mut self, thread: usize, time: Time) {
        let last = self.threads[thread].core;
        let is_idle = |core: &usize| self.cores[*core].runs.is_none();
        match Some(last).filter(is_idle).or_else(|| (0..self.cores.len()).find(is_idle)) {
            Some(core) => self.run_on(core, thread, time),
            None => self.ready.push_back((time, thread)),
        }
    }

    fn run_on(&mut self, core: usize, thread: usize, time: Time) {
        self.threads[thread].core = core;
        let place = &mut self.cores[core];
        place.runs = Some(thread);
        place.clock = place.clock.max(time);
        self.due.push(Reverse((place.clock, core)));
    }

    fn leave_core(&mut self, core: usize) {
        self.cores[core].runs = None;
        if let Some((time, thread)) = self.ready.pop_front() {
            self.run_on(core, thread, time);
        }
    }

    fn wake(&mut self, key: Key, count: usize, time: Time) {
        for _ in 0..count {
            let Some(queue) = self.sleepers.get_mut(&key) else { return };
            match queue.pop_front() {
                Some(thread) => self.make_ready(thread, time),
                None => drop(self.sleepers.remove(&key)),
            }
        }
    }
}

/// Runs `main` as the first thread, and all it starts, on processors that are as one another; what became of it. Threads
/// that wait for ever are an error.
pub(crate) fn run(
    layout: Layout,
    cores: usize,
    main: impl FnOnce() + 'static,
) -> Result<(Tally, Time), String> {
    if !(1..=MOST).contains(&cores) {
        return Err(format!("{cores} processors; there may be 1 to {MOST}"));
    }
    let world = World {
        lines: Lines::new(layout),
        cores: (0..cores).map(|_| Core { clock: 0, runs: None }).collect(),
        due: BinaryHeap::new(),
        ready: VecDeque::new(),
        threads: Vec::new(),
        running: None,
        sleepers: HashMap::new(),
        locks: HashMap::new(),
        tally: Tally::default(),
        is_muted: false,
    };
    WORLD.with_borrow_mut(|place| *place = Some(world));
    start(main);
    while go_on() || let_one_in() {}
    let world = WORLD.take().ok_or("the world is gone")?;
    let asleep = world.threads.iter().filter(|thread| !thread.has_ended).count();
    if asleep != 0 {
        return Err(format!("{asleep} threads wait for ever"));
    }
    let end = world.cores.iter().map(|core| core.clock).max().unwrap_or(0);
    Ok((world.tally, end))
}

/// The processor that is first in time goes on for a while. `false`: none has anything to do.
fn go_on() -> bool {
    let next = with(|world| {
        let Reverse((_, core)) = world.due.pop()?;
        let number = world.cores[core].runs?;
        world.running = Some(number);
        ME.set(number);
        Some((core, number, world.threads[number].body.take()?))
    });
    let Some((core, number, mut body)) = next.flatten() else { return false };
    let is_over = matches!(body.resume(()), CoroutineResult::Return(()));
    with(|world| {
        world.running = None;
        if is_over {
            world.threads[number].has_ended = true;
            let now = world.cores[core].clock;
            world.leave_core(core);
            world.wake(Key::End(number), usize::MAX, now);
        } else {
            world.threads[number].body = Some(body);
            if world.cores[core].runs == Some(number) {
                world.due.push(Reverse((world.cores[core].clock, core)));
            }
        }
    });
    true
}

/// Nobody can go on: one of those that wait for room may. `false`: there is none.
fn let_one_in() -> bool {
    let let_in = with(|world| {
        let now = world.cores.iter().map(|core| core.clock).max().unwrap_or(0);
        world.wake(Key::Room, 1, now);
        !world.due.is_empty()
    });
    let_in == Some(true)
}

/// Starts a thread at the moment it is for whoever starts it; its number.
pub(crate) fn start(body: impl FnOnce() + 'static) -> usize {
    let body = Coroutine::new(move |yielder: &Yielder<(), ()>, ()| {
        with(|world| world.threads[ME.get()].yielder = core::ptr::from_ref(yielder));
        body();
    });
    let number = with(|world| {
        let number = world.threads.len();
        let core = number % world.cores.len();
        let yielder = core::ptr::null();
        let thread = Thread { body: Some(body), yielder, core, has_ended: false, waits: None };
        world.threads.push(thread);
        let now = *world.clock();
        world.make_ready(number, now);
        number
    });
    number.unwrap_or_default()
}

fn suspend() {
    let yielder = with(|world| world.threads[ME.get()].yielder).unwrap_or(core::ptr::null());
    // SAFETY: null, or the yielder of the coroutine that this is called in.
    if let Some(yielder) = unsafe { yielder.as_ref() } {
        yielder.suspend(());
    }
}

/// Lets processors go first that are behind (W1).
fn take_turns() {
    let is_ahead = with(|world| {
        let now = *world.clock();
        world.due.peek().is_some_and(|&Reverse((other, _))| other < now)
    });
    if is_ahead == Some(true) {
        suspend();
    }
}

/// The running thread's number.
pub(crate) fn me() -> usize {
    ME.get()
}

/// The running thread's processor, and its clock.
pub(crate) fn here() -> (usize, Time) {
    let here = with(|world| {
        let core = world.running.map_or(0, |thread| world.threads[thread].core);
        (core, world.cores[core].clock)
    });
    here.unwrap_or_default()
}

/// Time passes.
pub(crate) fn spend(cost: Cost, time: Time) {
    with(|world| {
        *world.clock() += time;
        let is_waiting = world.running.is_some_and(|thread| world.threads[thread].waits.is_some());
        if !is_waiting {
            world.add(cost, time);
        }
    });
}

/// Memory is accessed, on the account of the allocator or of the program.
pub(crate) fn access(address: usize, access: Access, is_program: bool) {
    if with(|world| world.is_muted || world.running.is_none()) != Some(false) {
        return;
    }
    take_turns();
    with(|world| {
        let now = *world.clock();
        let (Some(thread), here) = (world.running, now) else { return };
        let end = world.lines.access(world.threads[thread].core, address, access, here);
        *world.clock() = end;
        let own = HIT + if access == Access::Update { LOCKED } else { 0 };
        if is_program {
            world.add(Cost::Program, end - now);
        } else if world.threads[thread].waits.is_none() {
            world.add(Cost::Instructions, own);
            world.add(Cost::Lines, end - now - own);
        }
    });
}

/// The words at these addresses are locks, of this kind.
pub(crate) fn know_lock(address: usize, kind: usize) {
    with(|world| world.locks.insert(address, kind));
}

/// Whoever runs tried to enter the lock at an address, and is inside or not.
pub(crate) fn tried_lock(address: usize, is_inside: bool) {
    with(|world| {
        let (Some(&kind), Some(thread)) = (world.locks.get(&address), world.running) else {
            return;
        };
        if world.is_muted {
            return;
        }
        let now = *world.clock();
        let waits = &mut world.threads[thread].waits;
        if is_inside {
            if let Some((kind, since)) = waits.take() {
                world.add(Cost::Lock(kind), now - since);
            }
            world.tally.entered[kind] += 1;
        } else if waits.is_none() {
            *waits = Some((kind, now));
            world.tally.contended[kind] += 1;
        }
    });
}

/// Waits until [`wake`] is called for `key`.
pub(crate) fn sleep(key: Key) {
    with(|world| {
        let Some(thread) = world.running else { return };
        world.sleepers.entry(key).or_default().push_back(thread);
        world.leave_core(world.threads[thread].core);
    });
    suspend();
}

/// Up to `count` of those that wait for `key` go on, a while from now.
pub(crate) fn wake(key: Key, count: usize, later: Time) {
    with(|world| {
        let now = *world.clock() + later;
        world.wake(key, count, now);
    });
}

/// Whether a thread has ended.
pub(crate) fn has_ended(thread: usize) -> bool {
    with(|world| world.threads.get(thread).is_some_and(|thread| thread.has_ended)) == Some(true)
}

/// What `of` does costs nothing.
pub(crate) fn muted<R>(of: impl FnOnce() -> R) -> R {
    with(|world| world.is_muted = true);
    let answer = of();
    with(|world| world.is_muted = false);
    answer
}

/// From now on is counted: what was before is forgotten.
pub(crate) fn count_from_now() {
    with(|world| world.tally = Tally::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{CHIPLETS, NS};
    use std::rc::Rc;

    #[test]
    fn threads_share_the_processors_there_are() {
        for (cores, end) in [(1, 30), (2, 20), (3, 10), (4, 10)] {
            let ended = run(CHIPLETS, cores, || {
                for _ in 0..2 {
                    start(|| spend(Cost::Program, 10 * NS));
                }
                spend(Cost::Program, 10 * NS);
            });
            let (tally, time) = ended.expect("all end");
            assert_eq!((tally.program, time), (30 * NS, end * NS), "{cores}");
        }
    }

    #[test]
    fn accesses_happen_in_the_order_of_the_clocks() {
        let order = Rc::new(RefCell::new(Vec::new()));
        let seen = order.clone();
        let ended = run(CHIPLETS, 3, move || {
            for (number, first) in [(1, 70), (2, 40)] {
                let seen = seen.clone();
                start(move || {
                    for _ in 0..2 {
                        spend(Cost::Program, first * NS);
                        access(0x1000 * number, Access::Load, true);
                        seen.borrow_mut().push((number, first));
                    }
                });
            }
        });
        assert!(ended.is_ok());
        let numbers: Vec<usize> = order.borrow().iter().map(|&(number, _)| number).collect();
        assert_eq!(numbers, [2, 1, 2, 1]);
    }

    #[test]
    fn who_sleeps_is_woken_or_it_is_an_error() {
        let ended = run(CHIPLETS, 2, || {
            let other = start(|| {
                sleep(Key::Block(7));
                spend(Cost::Program, NS);
            });
            spend(Cost::Program, 5 * NS);
            // The other one's turn: it sleeps.
            access(0, Access::Load, true);
            wake(Key::Block(7), 1, NS);
            while !has_ended(other) {
                sleep(Key::End(other));
            }
        });
        let (tally, end) = ended.expect("all end");
        assert_eq!(end, tally.program + NS, "woken a nanosecond later, and waited for");
        let never = run(CHIPLETS, 1, || sleep(Key::Block(1)));
        assert!(never.unwrap_err().contains("1 threads wait"));
    }

    #[test]
    fn waits_for_a_lock_are_its_own_and_nothing_elses() {
        let ended = run(CHIPLETS, 1, || {
            know_lock(0x80, 3);
            tried_lock(0x80, false);
            spend(Cost::System, 9 * NS);
            access(0x80, Access::Update, false);
            tried_lock(0x80, true);
            tried_lock(0x88, true);
        });
        let (tally, end) = ended.expect("it ends");
        assert_eq!((tally.waits[3], tally.entered[3], tally.contended[3]), (end, 1, 1));
        assert_eq!(tally.instructions + tally.lines + tally.system, 0);
    }
}
