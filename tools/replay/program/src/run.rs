//! What a thread does: one word after another.

use core::sync::atomic::{AtomicUsize, Ordering};

use plan::{ALL_PAGES, Call, Kind, Long, Word, unpair};

use crate::heap::{Heap, Null, Place, Plain, Timed, Verified};
use crate::options::Mode;
use crate::out::fail;
use crate::placed::Placed;
use crate::shared::{REFUSED, Shared, refused, shared};
use crate::touch::Toucher;
use crate::{clock, epochs};

/// So many words ahead a slot is fetched: it is this program's, and shall cost the call nothing.
const AHEAD: usize = 8;

/// Looks at a slot before a thread gives its processor up, and times it does that before it sleeps.
const LOOKS: u32 = 200;
const YIELDS: u32 = 50;
const SLEEP_NS: u64 = 50_000;

/// A plan whose slot is not filled for so long is wrong.
const PATIENCE_NS: u64 = 300_000_000_000;

/// Plays one thread of the plan.
pub(crate) fn thread(number: u32) {
    match shared().options.mode {
        Mode::Plain => play::<Plain>(number),
        Mode::Timed => play::<Timed>(number),
        Mode::Verified => play::<Verified>(number),
        Mode::Null => play::<Null>(number),
        Mode::Placed => play::<Placed>(number),
    }
}

/// Frees every block that is left.
pub(crate) fn free_all() {
    match shared().options.mode {
        Mode::Verified => free_slots::<Verified>(),
        _ => free_slots::<Plain>(),
    }
}

fn free_slots<H: Heap>() {
    let mut player = Player::<H>::new(shared(), 0);
    for slot in 0..usize::try_from(shared().head.slots).unwrap_or(0) {
        player.free(slot, false);
    }
}

struct Player<H> {
    heap: H,
    slots: *const AtomicUsize,
    toucher: Toucher,
    thread: u32,
    /// Where in the plan this call is; 0: nowhere.
    word: usize,
}

fn play<H: Heap>(number: u32) {
    let shared = shared();
    let mut player = Player::<H>::new(shared, number);
    let table = usize::try_from(shared.head.table / 8).unwrap_or(0);
    let mut at = offset(shared.words[table + number as usize]);
    let mut is_in_one = false;
    loop {
        let word = Word(shared.words[at]);
        player.fetch(Word(shared.words[at + AHEAD]));
        player.word = at;
        at += 1;
        match word.kind() {
            Kind::Malloc => player.allocate(word.slot(), Call::Malloc, word.size(), 1, ALL_PAGES),
            Kind::Free => player.free(word.slot(), false),
            Kind::Calloc => player.allocate(word.slot(), Call::Calloc, word.size(), 1, ALL_PAGES),
            Kind::Realloc => {
                let long = Long { call: Call::Realloc, slot: 0, align_log2: 0, wait: false };
                player.reallocate(word.slot(), long, word.size(), (word.slot(), ALL_PAGES), 0);
            }
            Kind::Usable => player.usable(word.slot(), false),
            Kind::FreeWait => player.free(word.slot(), true),
            Kind::Long => {
                player.long(word, [0, 1, 2].map(|i| shared.words[at + i]));
                at += 3;
            }
            Kind::Mark => player.heap.mark(),
            Kind::Jump => at = offset(word.rest()),
            Kind::Epoch => {
                if is_in_one {
                    epochs::leave();
                }
                epochs::enter(number, word.rest());
                is_in_one = true;
            }
            Kind::End if number != 0 => return epochs::leave_for_good(number),
            Kind::End | Kind::Stop => {
                if is_in_one {
                    epochs::leave();
                }
                epochs::park();
            }
        }
    }
}

fn offset(bytes: u64) -> usize {
    usize::try_from(bytes / 8).unwrap_or(usize::MAX)
}

impl<H: Heap> Player<H> {
    fn new(shared: &Shared, thread: u32) -> Self {
        let Shared { slots, toucher, .. } = *shared;
        Self { heap: H::new(thread), slots, toucher, thread, word: 0 }
    }

    #[inline(always)]
    fn slot(&self, slot: usize) -> &AtomicUsize {
        // SAFETY: the planner gave no slot above the head's number of them.
        unsafe { &*self.slots.wrapping_add(slot) }
    }

    #[inline(always)]
    fn fetch(&self, word: Word) {
        #[cfg(target_arch = "x86_64")]
        {
            let slot = self.slots.wrapping_add(word.slot());
            // SAFETY: fetching what is not mapped does nothing.
            unsafe {
                core::arch::x86_64::_mm_prefetch::<{ core::arch::x86_64::_MM_HINT_T0 }>(slot.cast())
            };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = word;
    }

    #[inline(always)]
    fn place(&self, slot: usize) -> Place {
        Place { thread: self.thread, word: self.word, slot }
    }

    #[inline(always)]
    fn allocate(&mut self, slot: usize, call: Call, size: usize, align: usize, pages: u32) {
        let at = self.place(slot);
        let block = self.heap.allocate(at, call, size, align);
        self.put(at, block, 0, size, pages);
    }

    /// The slot has this block from now on.
    #[inline(always)]
    fn put(&mut self, at: Place, block: *mut u8, from: usize, size: usize, pages: u32) {
        if block.is_null() {
            if size > 0 {
                refused();
            }
            self.slot(at.slot).store(REFUSED, Ordering::Release);
            return;
        }
        // SAFETY: the block has that size; the null heap's as much as the toucher touches.
        unsafe { self.toucher.touch(block, from, size, pages) };
        // SAFETY: it is live and has that size.
        unsafe { self.heap.keep(at, block, size) };
        self.slot(at.slot).store(block.expose_provenance(), Ordering::Release);
    }

    /// What the slot has, and takes it out.
    #[inline(always)]
    fn take(&mut self, slot: usize, wait: bool) -> Option<*mut u8> {
        if wait {
            self.wait_for(slot);
        }
        let found = self.slot(slot).load(Ordering::Relaxed);
        self.slot(slot).store(0, Ordering::Relaxed);
        self.block(slot, found)
    }

    /// What was in a slot, as a block; none if it was refused.
    #[inline(always)]
    fn block(&self, slot: usize, found: usize) -> Option<*mut u8> {
        if found == 0 {
            self.heap.empty(self.place(slot));
        }
        (found > REFUSED).then(|| core::ptr::with_exposed_provenance_mut(found))
    }

    #[inline(always)]
    fn free(&mut self, slot: usize, wait: bool) {
        let at = self.place(slot);
        if let Some(block) = self.take(slot, wait) {
            // SAFETY: the slot had it, and has it no more.
            unsafe { self.heap.free(at, block) };
        }
    }

    fn usable(&mut self, slot: usize, wait: bool) {
        if wait {
            self.wait_for(slot);
        }
        let found = self.slot(slot).load(Ordering::Relaxed);
        if let Some(block) = self.block(slot, found) {
            let at = self.place(slot);
            // SAFETY: the slot has it.
            unsafe { self.heap.usable(at, block) };
        }
    }

    #[cold]
    fn long(&mut self, word: Word, [size, pair, old_size]: [u64; 3]) {
        let (long, (old, pages)) = (word.as_long(), unpair(pair));
        let (slot, old) = (long.slot as usize, old as usize);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let old_size = usize::try_from(old_size).unwrap_or(usize::MAX);
        match long.call {
            Call::Usable => self.usable(slot, long.wait),
            Call::Realloc => self.reallocate(slot, long, size, (old, pages), old_size),
            call => self.allocate(slot, call, size, 1 << long.align_log2, pages),
        }
    }

    fn reallocate(
        &mut self,
        slot: usize,
        long: Long,
        size: usize,
        (old, pages): (usize, u32),
        old_size: usize,
    ) {
        let at = self.place(slot);
        let Some(block) = self.take(old, long.wait) else {
            return self.allocate(slot, Call::Malloc, size, 1, pages);
        };
        // Of 0 bytes C libraries differ: some would free it.
        let size = size.max(1);
        // SAFETY: the old slot had it, and has it no more.
        let new = unsafe { self.heap.reallocate(at, old, block, size) };
        if new.is_null() {
            // The old one lives on.
            refused();
            self.slot(slot).store(block.expose_provenance(), Ordering::Release);
            return;
        }
        self.put(at, new, old_size, size, pages);
    }

    /// Another thread is about to fill the slot.
    #[inline(never)]
    fn wait_for(&self, slot: usize) {
        let slot = self.slot(slot);
        let mut looks = 0;
        let mut since = None;
        while slot.load(Ordering::Acquire) == 0 {
            looks += 1;
            if looks < LOOKS {
                core::hint::spin_loop();
                continue;
            }
            if looks < LOOKS + YIELDS {
                // SAFETY: it takes nothing.
                unsafe { libc::sched_yield() };
                continue;
            }
            let now = timing::now();
            if now - *since.get_or_insert(now) > PATIENCE_NS {
                let thread = self.thread;
                fail(3, format_args!("thread {thread} waits for a block that nobody allocates"));
            }
            clock::sleep_until(now + SLEEP_NS);
        }
    }
}
