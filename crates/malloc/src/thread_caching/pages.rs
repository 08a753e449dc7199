//! The page heap: spans of free pages in 255 lists by length and more for what is longer, neighbours joined.
//!
//! ```text
//! kept      [ 1 │ 2 │ 3 │ … │ 255 │ 256 to 287 │ 288 to … ]     free pages that cost memory: taken first
//! returned  [ 1 │ 2 │ 3 │ … │ 255 │ 256 to 287 │ 288 to … ]     free pages that are zero
//! whole     [ 1 │ 2 │ … │ 16 ]                                  the last four freed of each length, not joined yet
//! map       address ─► span, class                every page of a class's span, the first and last page of any other
//! ```
//!
//! - **pages-P1** a free span is on the list of its state and length; no neighbour of a kept or returned one has the same state.
//! - **pages-P2** the map names a live span at its first and last page, and with its class at all pages if it has one; at pages
//!   inside of others it may name any span, but never with a class.
//! - **pages-P3** used, kept (with whole) and returned pages add up to what came from the system.
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
use policy::table::{AT_ONCE, SMALL_HEAP};

use super::span::{List, Span, State};
use crate::links;
use crate::regret::Regret;

mod check;
mod give_back;
mod lists;

use lists::{Free, Lists, WHOLE};

/// log2 of [`PAGE`].
pub(super) const PAGE_SHIFT: u32 = 12;
pub(super) const PAGE: usize = 1 << PAGE_SHIFT;

/// What is asked of the system at least: 1 MiB, so that a small program starts small.
const LEAST_GROWTH: usize = (1 << 20) / PAGE;
/// What is asked for ahead at most: 64 MiB.
const MOST_GROWTH: usize = (64 << 20) / PAGE;
/// Where the class is in a map entry, eight bits; a span's address is below.
const CLASS_SHIFT: u32 = 56;

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

#[derive(Debug)]
pub(super) struct Pages<S> {
    pub(super) source: S,
    pub(super) arena: Arena<S>,
    map: RadixMap<PAGE_SHIFT, { 1 << (48 - PAGE_SHIFT - 24) }>,
    free: Guarded<S, Free>,
    /// Bytes that the central lists keep in batches.
    pub(super) batched: AtomicUsize,
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
            batched: AtomicUsize::new(0),
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

    /// A span of `pages` at a multiple of `align` pages, in use for objects of a class or one block, and whether it is
    /// zero. `None`: out of memory.
    pub(super) fn allocate(
        &self,
        pages: usize,
        align: usize,
        class: usize,
    ) -> Option<(&'static Span, bool)> {
        let room = pages.checked_add(align - 1)?;
        let mut free = self.free.lock();
        if align == 1
            && let Some(span) = free.pop_whole(pages)
        {
            self.kept.lower(pages);
            self.begin(span, class);
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
        self.begin(span, class);
        let room = self.allowance.room(self.used.load(Ordering::Relaxed), PAGE);
        if state == State::Returned && self.kept.load(Ordering::Relaxed) > room {
            // A memory limit: what is kept elsewhere makes room.
            self.purge(free, keep::target(room), usize::MAX, false);
        }
        Some((span, state == State::Returned))
    }

    /// Pages are in use from now on.
    fn begin(&self, span: &Span, class: usize) {
        self.used.raise(span.pages());
        if class == 0 {
            self.blocks.raise(span.pages());
        }
        span.open(class);
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

    /// The map names the span (pages-P2).
    fn enter(&self, span: &Span, class: usize) {
        let entry = Entry::new(span, class).0;
        if class != 0 {
            (span.start()..span.end()).step_by(PAGE).for_each(|page| self.map.set(page, entry));
        } else {
            self.map.set(span.start(), entry);
            self.map.set(span.end() - PAGE, entry);
        }
    }

    /// Puts free pages on the list of their state, joined with their neighbours of the same (pages-P1).
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
}
