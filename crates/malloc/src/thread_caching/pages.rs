//! The page heap: spans of free pages in 255 lists by length and more for what is longer, neighbours joined.
//!
//! ```text
//! kept      [ 1 │ 2 │ 3 │ … │ 255 │ 256 to 287 │ 288 to … ]     free pages that cost memory: taken first
//! returned  [ 1 │ 2 │ 3 │ … │ 255 │ 256 to 287 │ 288 to … ]     free pages that are zero
//! whole     [ 1 │ 2 │ … │ 16 ]                                  the last four freed of each length, not joined yet
//! map       address ─► span, class                every page of a class's span, the first and last page of any other
//! ```
//!
//! - **P1** a free span is on the list of its state and length; no neighbour of a kept or returned one has the same state.
//! - **P2** the map names a live span at its first and last page, and with its class at all pages if it has one; at pages
//!   inside of others it may name any span, but never with a class.
//! - **P3** used, kept (with whole) and returned pages add up to what came from the system.
//!
//! What is kept is limited: 16 MiB (40 while what went back is needed again within a second) or half of what is used,
//! and near a memory limit less. What is beyond goes back in the calls that free, longest first, while the lock is open to
//! others.
//!
//! One lock; O(1). The text has one list for all that is longer than 255 pages, in which the best fit is looked for: a
//! terabyte of blocks, some of them freed, then takes 26 seconds instead of 5. After Ghemawat and Menage, "TCMalloc:
//! Thread-Caching Malloc".
use base::bits::align_up;
use base::guarded::{Guarded, Inside};
use base::lock::Lock;
use base::sync::{AtomicU64, AtomicUsize, OneWriter as _, Ordering};
use page::{Allowance, Arena, RadixMap, Refusals, System};
use policy::keep;
use policy::table::{AT_ONCE, REGRET, SMALL_HEAP, TICK_MS};

use super::span::{List, Span, State};
use crate::links;
use crate::regret::Regret;

mod check;

/// log2 of [`PAGE`].
pub(super) const PAGE_SHIFT: u32 = 13;
/// Bytes of a page.
pub(super) const PAGE: usize = 1 << PAGE_SHIFT;

/// Lengths that have a list of their own.
const EXACT: usize = 255;
/// Lists for what is longer: eight for each power of two, to 8 GiB; the last has all that are longer yet.
const LONG: usize = 97;
const LISTS: usize = EXACT + LONG;
/// Spans that are looked at in a list of several lengths.
const LOOKS: usize = 8;
/// What is asked of the system at least: 1 MiB, so that a small program starts small.
const LEAST_GROWTH: usize = (1 << 20) / PAGE;
/// What is asked for ahead at most: 64 MiB.
const MOST_GROWTH: usize = (64 << 20) / PAGE;
/// Bytes of free pages that are kept at least.
const KEEP: usize = 16 << 20;
/// And while what went back is needed again within a second. No more: a program that then lives on what its threads cache comes
/// here no more, and keeps it.
const MOST_KEPT: usize = 40 << 20;
/// Spans of up to this number of pages, 128 KiB, are not joined at once, four of each length: who frees one often allocates one
/// soon, and then neither joins nor cuts.
const WHOLE: usize = 16;
const MOST_WHOLE: u8 = 4;
/// Free spans of this length and more are unmapped when the system has no addresses left, or counts them: 1 MiB.
const UNMAP: usize = (1 << 20) / PAGE;
/// And of this share of all pages, as each may leave a mapping more.
const MOST_HOLES: usize = 8192;

/// Where the class is in a map entry; a span's address is below.
const CLASS_SHIFT: u32 = 48;

/// What the map says of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(usize);

impl Entry {
    fn new(span: &Span, class: usize) -> Self {
        Self(span.address() | class << CLASS_SHIFT)
    }

    /// The class of the objects that lie there; 0: there are none.
    #[inline(always)]
    pub(super) fn class(self) -> usize {
        self.0 >> CLASS_SHIFT
    }

    /// A span that the page is or was of; `None`: it was never one's.
    #[inline(always)]
    pub(super) fn span<'a>(self) -> Option<&'a Span> {
        links::at(self.0 & ((1 << CLASS_SHIFT) - 1))
    }
}

/// Free spans of one state, by length.
#[derive(Debug)]
struct Lists {
    by_len: [List; LISTS],
    /// A bit for each list that is not empty.
    bits: [u64; LISTS.div_ceil(64)],
}

impl Lists {
    const fn new() -> Self {
        Self { by_len: [const { List::new() }; LISTS], bits: [0; LISTS.div_ceil(64)] }
    }

    /// The list of a length.
    fn index(pages: usize) -> usize {
        if pages <= EXACT {
            return pages - 1;
        }
        // 256 is 8 octaves up; the three bits below the highest choose among eight.
        let octave = pages.ilog2() as usize;
        let eighth = pages >> (octave - 3) & 7;
        (EXACT + (octave - 8) * 8 + eighth).min(LISTS - 1)
    }

    fn push(&mut self, span: &Span) {
        let index = Self::index(span.pages());
        self.by_len[index].push(span);
        self.bits[index / 64] |= 1 << (index % 64);
    }

    fn remove(&mut self, span: &Span) {
        let index = Self::index(span.pages());
        self.by_len[index].remove(span);
        if self.by_len[index].is_empty() {
            self.bits[index / 64] &= !(1 << (index % 64));
        }
    }

    /// A span of at least `pages`: the shortest to 255, else one of the shortest eighth of a power of two.
    fn best<'a>(&self, pages: usize) -> Option<&'a Span> {
        let first = Self::index(pages);
        let mut near = self.by_len[first].iter().take(LOOKS);
        near.find(|span| span.pages() >= pages).or_else(|| self.after(first))
    }

    /// The newest span of the first list after `index` that is not empty.
    fn after<'a>(&self, index: usize) -> Option<&'a Span> {
        let mut word = (index + 1) / 64;
        let mut bits = self.bits.get(word)? & u64::MAX << ((index + 1) % 64);
        while bits == 0 {
            word += 1;
            bits = *self.bits.get(word)?;
        }
        self.by_len[word * 64 + bits.trailing_zeros() as usize].first()
    }

    /// The longest list's newest span.
    fn longest<'a>(&self) -> Option<&'a Span> {
        let (word, bits) = self.bits.iter().enumerate().rev().find(|(_, bits)| **bits != 0)?;
        self.by_len[word * 64 + 63 - bits.leading_zeros() as usize].first()
    }

    fn iter<'a>(&self) -> impl Iterator<Item = &'a Span> {
        self.by_len.iter().flat_map(List::iter)
    }
}

/// What the lock guards.
#[derive(Debug)]
pub(super) struct Free {
    kept: Lists,
    returned: Lists,
    whole: [List; WHOLE],
    wholes: [u8; WHOLE],
    leaving: List,
    spare: List,
    regret: Regret,
}

impl Free {
    /// Keeps a span as it was freed. `false`: it is long, or there are enough.
    fn push_whole(&mut self, span: &Span) -> bool {
        let at = span.pages() - 1;
        let fits = at < WHOLE && self.wholes[at] < MOST_WHOLE;
        if fits {
            span.set_state(State::Whole);
            self.whole[at].push(span);
            self.wholes[at] += 1;
        }
        fits
    }

    /// A span of exactly `pages` as it was freed.
    fn pop_whole(&mut self, pages: usize) -> Option<&'static Span> {
        let span = self.whole.get(pages - 1)?.pop()?;
        self.wholes[pages - 1] -= 1;
        Some(span)
    }

    fn lists(&mut self, state: State) -> &mut Lists {
        if state == State::Kept { &mut self.kept } else { &mut self.returned }
    }
}

/// The page heap.
#[derive(Debug)]
pub(super) struct Pages<S> {
    pub(super) source: S,
    pub(super) arena: Arena<S>,
    map: RadixMap<PAGE_SHIFT, { 1 << (48 - PAGE_SHIFT - 24) }>,
    free: Guarded<S, Free>,
    /// Pages in each state: changed under the lock, read by anybody.
    used: AtomicUsize,
    kept: AtomicUsize,
    returned: AtomicUsize,
    /// Pages of blocks that are spans of their own.
    blocks: AtomicUsize,
    /// Bytes given back so far.
    purged: AtomicU64,
    allowance: Allowance,
    refusals: Refusals,
}

type Held<'a, S> = Inside<'a, S, Free>;

impl<S: System> Pages<S> {
    pub(super) const fn new(source: S) -> Self {
        Self {
            source,
            arena: Arena::new(),
            map: RadixMap::new(),
            free: Guarded::new(Free {
                kept: Lists::new(),
                returned: Lists::new(),
                whole: [const { List::new() }; WHOLE],
                wholes: [0; WHOLE],
                leaving: List::new(),
                spare: List::new(),
                regret: Regret::new(),
            }),
            used: AtomicUsize::new(0),
            kept: AtomicUsize::new(0),
            returned: AtomicUsize::new(0),
            blocks: AtomicUsize::new(0),
            purged: AtomicU64::new(0),
            allowance: Allowance::new(),
            refusals: Refusals::new(),
        }
    }

    /// What the map says of the page that `address` lies in.
    #[inline(always)]
    pub(super) fn entry(&self, address: usize) -> Entry {
        Entry(self.map.get(address))
    }

    pub(super) fn lock_for_fork(&self) -> &Lock<S> {
        self.free.bare()
    }

    /// Bytes of free pages that cost memory, and of pages in use.
    pub(super) fn costing_bytes(&self) -> usize {
        (self.used.load(Ordering::Relaxed) + self.kept.load(Ordering::Relaxed)) * PAGE
    }

    /// Bytes of free pages, whether they cost memory or not.
    pub(super) fn free_bytes(&self) -> usize {
        (self.kept.load(Ordering::Relaxed) + self.returned.load(Ordering::Relaxed)) * PAGE
    }

    /// Bytes of blocks that are spans of their own.
    pub(super) fn block_bytes(&self) -> usize {
        self.blocks.load(Ordering::Relaxed) * PAGE
    }

    pub(super) fn purged_bytes(&self) -> u64 {
        self.purged.load(Ordering::Relaxed)
    }

    fn count(&self, state: State) -> &AtomicUsize {
        match state {
            State::Kept | State::Whole => &self.kept,
            State::Returned => &self.returned,
            State::None | State::Used | State::Leaving => &self.used,
        }
    }

    /// A span of `pages` at a multiple of `align` pages, in use for `objects` of a class or one block, and whether it is
    /// zero. `None`: out of memory.
    pub(super) fn allocate(
        &self,
        pages: usize,
        align: usize,
        class: usize,
        objects: u32,
    ) -> Option<(&'static Span, bool)> {
        let room = pages.checked_add(align - 1)?;
        let mut free = self.free.lock();
        if align == 1
            && let Some(span) = free.pop_whole(pages)
        {
            self.kept.lower(pages);
            self.begin(span, class, objects);
            return Some((span, false));
        }
        let found = self.find(&free, room).or_else(|| {
            self.join_whole(&mut free);
            self.find(&free, room)
        });
        let span = match found {
            Some(span) => span,
            None => self.grow(&mut free, room)?,
        };
        let state = if span.is(State::Kept) { State::Kept } else { State::Returned };
        free.lists(state).remove(span);
        // On no list: none of its parts is joined with it.
        span.set_state(State::None);
        let front = align_up(span.start(), align * PAGE) - span.start();
        // What is not needed goes back to the lists; without a descriptor for it, it stays a part.
        let span = self.split(&mut free, span, front / PAGE, state).unwrap_or(span);
        if let Some(rest) = self.cut(&mut free, span, pages) {
            self.insert(&mut free, rest, state);
        }
        let fits = span.start().is_multiple_of(align * PAGE);
        if !fits {
            self.insert(&mut free, span, state);
            return None;
        }
        self.count(state).lower(span.pages());
        if state == State::Returned {
            free.regret.take(span.len());
        }
        self.begin(span, class, objects);
        let room = self.allowance.room(self.used.load(Ordering::Relaxed), PAGE);
        if state == State::Returned && self.kept.load(Ordering::Relaxed) > room {
            // A memory limit: what is kept elsewhere makes room.
            self.purge(free, keep::target(room), usize::MAX, false);
        }
        Some((span, state == State::Returned))
    }

    /// Pages are in use from now on.
    fn begin(&self, span: &Span, class: usize, objects: u32) {
        self.used.raise(span.pages());
        if class == 0 {
            self.blocks.raise(span.pages());
        }
        span.open(class, objects);
        self.enter(span, class);
    }

    /// Spans that were kept as they were freed are joined with their neighbours.
    #[cold]
    fn join_whole(&self, free: &mut Held<'_, S>) {
        for pages in 1..=WHOLE {
            while let Some(span) = free.pop_whole(pages) {
                self.insert(free, span, State::Kept);
            }
        }
    }

    fn find<'a>(&self, free: &Held<'_, S>, pages: usize) -> Option<&'a Span> {
        free.kept.best(pages).or_else(|| free.returned.best(pages))
    }

    /// Leaves `front` pages to the lists; what follows them.
    fn split(
        &self,
        free: &mut Held<'_, S>,
        span: &Span,
        front: usize,
        state: State,
    ) -> Option<&'static Span> {
        if front == 0 {
            return None;
        }
        let rest = self.cut(free, span, front)?;
        self.insert(free, span, state);
        Some(rest)
    }

    /// Cuts a span, which is on no list, after `pages`; the rest. `None`: there is none, or no descriptor for it.
    fn cut(&self, free: &mut Held<'_, S>, span: &Span, pages: usize) -> Option<&'static Span> {
        let more = span.pages() - pages;
        if more == 0 {
            return None;
        }
        let rest = self.descriptor(free)?;
        rest.set_range(span.start() + pages * PAGE, more);
        span.set_range(span.start(), pages);
        Some(rest)
    }

    fn descriptor(&self, free: &mut Held<'_, S>) -> Option<&'static Span> {
        free.spare.pop().or_else(|| {
            links::at(self.arena.allocate(&self.source, size_of::<Span>(), align_of::<Span>())?)
        })
    }

    /// The map names the span (P2).
    fn enter(&self, span: &Span, class: usize) {
        let entry = Entry::new(span, class).0;
        if class != 0 {
            (span.start()..span.end()).step_by(PAGE).for_each(|page| self.map.set(page, entry));
        } else {
            self.map.set(span.start(), entry);
            self.map.set(span.end() - PAGE, entry);
        }
    }

    /// Puts free pages on the list of their state, joined with their neighbours of the same (P1).
    fn insert(&self, free: &mut Held<'_, S>, span: &Span, state: State) {
        span.set_state(state);
        let before = self.entry(span.start() - 1).span();
        if let Some(before) = before.filter(|other| other.is(state) && other.end() == span.start())
        {
            free.lists(state).remove(before);
            span.set_range(before.start(), before.pages() + span.pages());
            self.forget(free, before);
        }
        let after = self.entry(span.end()).span();
        if let Some(after) = after.filter(|other| other.is(state) && other.start() == span.end()) {
            free.lists(state).remove(after);
            span.set_range(span.start(), span.pages() + after.pages());
            self.forget(free, after);
        }
        self.enter(span, 0);
        free.lists(state).push(span);
    }

    fn forget(&self, free: &mut Held<'_, S>, span: &Span) {
        span.set_state(State::None);
        free.spare.push(span);
    }

    /// Asks the system for at least `pages`; the span that then has them.
    #[cold]
    fn grow(&self, free: &mut Held<'_, S>, pages: usize) -> Option<&'static Span> {
        let total = self.used.load(Ordering::Relaxed) + self.kept.load(Ordering::Relaxed);
        // While no other thread can notice the descriptor that it takes.
        let is_large = total + pages > SMALL_HEAP / PAGE && !self.allowance.has_looked();
        if is_large && self.source.is_only_thread() {
            self.allowance.look(&self.source);
        }
        let ahead = (total / 8).clamp(LEAST_GROWTH, MOST_GROWTH).max(pages);
        let unit = (self.source.page_size() / PAGE).max(1);
        let mapped = self.map_pages(free, align_up(ahead, unit));
        let mapped = mapped.or_else(|| self.map_pages(free, align_up(pages, unit)));
        let (at, count) = match mapped {
            Some(mapped) => mapped,
            None if self.unmap_free(free) => self.map_pages(free, align_up(pages, unit))?,
            None => return None,
        };
        let Some(span) = self.descriptor(free) else {
            // SAFETY: mapped above, and nobody has seen it.
            unsafe { self.source.release(at, count * PAGE) };
            return None;
        };
        span.set_range(at, count);
        self.returned.raise(count);
        self.insert(free, span, State::Returned);
        self.find(free, pages)
    }

    /// Maps pages that the map covers.
    fn map_pages(&self, _free: &mut Held<'_, S>, pages: usize) -> Option<(usize, usize)> {
        let len = pages.checked_mul(PAGE)?;
        let at = self.source.map(len, PAGE)?;
        if self.map.cover(&self.arena, &self.source, at, len) {
            return Some((at, pages));
        }
        // SAFETY: mapped above, and nobody has seen it.
        unsafe { self.source.release(at, len) };
        None
    }

    /// Gives up long free spans. `true`: there were some.
    fn unmap_free(&self, free: &mut Held<'_, S>) -> bool {
        self.join_whole(free);
        let mut any = false;
        let each = |index| [State::Kept, State::Returned].map(|state| (index, state));
        for (index, state) in (0..LISTS).rev().flat_map(each) {
            for span in free.lists(state).by_len[index].iter() {
                if !self.is_long(span) && !self.is_counted_end(span) {
                    continue;
                }
                if !self.unmap(free, span, state) {
                    return any;
                }
                any = true;
            }
        }
        any
    }

    /// Whether a free span is worth a hole. A process may have few mappings, so in a large heap only the longest are.
    fn is_long(&self, span: &Span) -> bool {
        let counts = [&self.used, &self.kept, &self.returned];
        let all: usize = counts.iter().map(|pages| pages.load(Ordering::Relaxed)).sum();
        span.pages() >= UNMAP.max(all / MOST_HOLES) && self.has_whole_pages(span)
    }

    /// Whether what is committed counts, and nothing of ours is at one side of a span: unmapping it makes no hole.
    fn is_counted_end(&self, span: &Span) -> bool {
        let beside = |at| self.entry(at).span().filter(|other| !other.is(State::None));
        let is_end = || {
            beside(span.start() - 1).is_none_or(|before| before.end() != span.start())
                || beside(span.end()).is_none_or(|after| after.start() != span.end())
        };
        self.allowance.charges() && self.has_whole_pages(span) && is_end()
    }

    /// Whether a span is whole pages of the system.
    fn has_whole_pages(&self, span: &Span) -> bool {
        (span.start() | span.len()).is_multiple_of(self.source.page_size().max(PAGE))
    }

    /// Gives up a span's addresses, and with them the promise of memory behind them. `false`: refused.
    fn unmap(&self, free: &mut Held<'_, S>, span: &Span, state: State) -> bool {
        // SAFETY: free pages, which nobody uses.
        if !unsafe { self.source.release(span.start(), span.len()) } {
            return false;
        }
        free.lists(state).remove(span);
        self.count(state).lower(span.pages());
        self.map.set(span.start(), 0);
        self.map.set(span.end() - PAGE, 0);
        self.forget(free, span);
        true
    }

    /// Gives up what is free, where memory or addresses are short. `true`: there was some.
    pub(super) fn release_free(&self) -> bool {
        self.unmap_free(&mut self.free.lock())
    }

    /// As [`release_free`](Self::release_free), where what is committed counts against a limit.
    pub(super) fn give_up_free(&self) {
        if self.allowance.charges() {
            self.release_free();
        }
    }

    /// The process is about to fork, which may be refused for what is free. `beside`: bytes of blocks outside of spans.
    pub(super) fn make_way_for_fork(&self, beside: usize) {
        let used = self.used.load(Ordering::Relaxed) * PAGE + self.free_bytes() + beside;
        if !self.free.bare().is_interrupted() && self.allowance.may_refuse_fork(&self.source, used)
        {
            self.release_free();
        }
    }

    /// A span that is not in use any more comes back.
    pub(super) fn free(&self, span: &Span) {
        let mut free = self.free.lock();
        let pages = span.pages();
        self.close(&mut free, span);
        self.purge_some(free, keep::at_once(pages, AT_ONCE / PAGE));
    }

    /// Frees the block that begins at `address`, which has a span of its own. `false`: there is none.
    pub(super) fn free_block(&self, span: &Span, address: usize) -> bool {
        let mut free = self.free.lock();
        if !span.is_block_at(address) {
            return false;
        }
        let pages = span.pages();
        self.close(&mut free, span);
        self.purge_some(free, keep::at_once(pages, AT_ONCE / PAGE));
        true
    }

    fn close(&self, free: &mut Held<'_, S>, span: &Span) {
        let pages = span.pages();
        if span.class() != 0 {
            (span.start()..span.end()).step_by(PAGE).for_each(|page| self.map.set(page, 0));
        } else {
            self.blocks.lower(pages);
        }
        self.used.lower(pages);
        self.kept.raise(pages);
        if free.push_whole(span) {
            self.enter(span, 0);
        } else {
            self.insert(free, span, State::Kept);
        }
    }

    /// Grows the block of a span into the free pages behind it, or cuts off what is beyond `pages`. `false`: no room.
    pub(super) fn resize(&self, span: &Span, pages: usize) -> bool {
        let mut free = self.free.lock();
        let old = span.pages();
        if pages < old {
            if let Some(rest) = self.cut(&mut free, span, pages) {
                self.enter(span, 0);
                self.blocks.lower(rest.pages());
                self.used.lower(rest.pages());
                self.kept.raise(rest.pages());
                self.insert(&mut free, rest, State::Kept);
                self.purge_some(free, keep::at_once(old - pages, AT_ONCE / PAGE));
            }
            return true;
        }
        let more = pages - old;
        let Some(after) = self.entry(span.end()).span() else { return more == 0 };
        let is_free = after.is(State::Kept) || after.is(State::Returned);
        if !is_free || after.start() != span.end() || after.pages() < more {
            return more == 0;
        }
        let state = if after.is(State::Kept) { State::Kept } else { State::Returned };
        free.lists(state).remove(after);
        after.set_state(State::None);
        if let Some(rest) = self.cut(&mut free, after, more) {
            self.insert(&mut free, rest, state);
        }
        self.count(state).lower(after.pages());
        self.used.raise(after.pages());
        self.blocks.raise(after.pages());
        span.set_range(span.start(), old + after.pages());
        self.forget(&mut free, after);
        self.enter(span, 0);
        true
    }

    /// Pages that may be kept; `floor` in bytes.
    fn limit(&self, floor: usize) -> usize {
        let used = self.used.load(Ordering::Relaxed);
        (used / 2).max(floor / PAGE).min(self.allowance.room(used, PAGE))
    }

    /// The time, in ticks.
    pub(super) fn tick(&self) -> u32 {
        base::bits::low32(base::bits::index((self.source.now_ms() / TICK_MS) & 0xffff_ffff))
    }

    /// Gives back what is kept beyond the limit, at most `most` pages.
    #[inline]
    fn purge_some<'a>(&'a self, free: Held<'a, S>, most: usize) {
        if self.kept.load(Ordering::Relaxed) > self.limit(free.regret.floor(KEEP)) {
            self.purge_beyond(free, most);
        }
    }

    #[cold]
    fn purge_beyond<'a>(&'a self, free: Held<'a, S>, most: usize) {
        let now = self.tick();
        let limit = self.limit(free.regret.due(now, (KEEP, MOST_KEPT), REGRET));
        if self.kept.load(Ordering::Relaxed) > limit {
            self.purge(free, keep::target(limit), most, false);
        }
    }

    /// Gives back kept pages down to `until`, at most `most`: the longest first, each while the lock is open.
    #[cold]
    fn purge<'a>(
        &'a self,
        mut free: Held<'a, S>,
        until: usize,
        most: usize,
        ordered: bool,
    ) -> usize {
        let now = self.tick();
        let attempt = if ordered {
            self.refusals.order(now)
        } else {
            let Some(attempt) = self.refusals.attempt(now) else { return 0 };
            attempt
        };
        self.join_whole(&mut free);
        let (mut gone, aside) = (0, List::new());
        while gone < most && self.kept.load(Ordering::Relaxed) > until && !attempt.is_over() {
            let Some(span) = free.kept.longest() else { break };
            free.kept.remove(span);
            let beyond = self.kept.load(Ordering::Relaxed) - until;
            let part = span.pages().min(beyond.min(most - gone).max(LEAST_GROWTH));
            if let Some(rest) = self.cut(&mut free, span, part) {
                rest.set_state(State::Kept);
                self.enter(rest, 0);
                free.kept.push(rest);
            }
            self.kept.lower(span.pages());
            self.used.raise(span.pages());
            span.set_state(State::Leaving);
            self.enter(span, 0);
            free.leaving.push(span);
            drop(free);
            // SAFETY: free pages, which nobody else takes while they are leaving.
            let is_zero = self.has_whole_pages(span)
                && unsafe { self.source.purge(span.start(), span.len()) };
            attempt.note(is_zero);
            free = self.free.lock();
            free.leaving.remove(span);
            if !is_zero {
                // Not the next to be tried: the longest are.
                aside.push(span);
                continue;
            }
            let pages = span.pages();
            self.used.lower(pages);
            self.returned.raise(pages);
            self.insert(&mut free, span, State::Returned);
            if self.allowance.charges() && self.is_long(span) {
                // Refused, it is returned all the same.
                self.unmap(&mut free, span, State::Returned);
            }
            gone += pages;
            self.purged.raise((pages * PAGE) as u64);
            free.regret.purged(now, pages * PAGE);
        }
        while let Some(refused) = aside.pop() {
            self.used.lower(refused.pages());
            self.kept.raise(refused.pages());
            self.insert(&mut free, refused, State::Kept);
        }
        drop(free);
        gone * PAGE
    }

    /// Gives back all that is kept; the bytes.
    pub(super) fn purge_all(&self) -> usize {
        self.purge(self.free.lock(), 0, usize::MAX, true)
    }

    /// Reads the memory limit.
    pub(super) fn look_at_memory_limit(&self) {
        self.allowance.look(&self.source);
    }

    /// In the child of a fork: what another thread was about to give back is kept.
    pub(super) fn note_child(&self) {
        let mut free = self.free.lock();
        while let Some(span) = free.leaving.pop() {
            self.used.lower(span.pages());
            self.kept.raise(span.pages());
            self.insert(&mut free, span, State::Kept);
        }
    }
}
