//! Memory that goes back: what is kept beyond the limit, and addresses where the system has none left, or counts them.
use base::sync::{OneWriter as _, Ordering};
use page::System;
use policy::keep;
use policy::table::{REGRET, TICK_MS};

use super::super::span::{List, Span, State};
use super::lists::LISTS;
use super::{Held, LEAST_GROWTH, PAGE, Pages};

/// Bytes of free pages that are kept at least.
const KEEP: usize = 16 << 20;
/// And while what went back is needed again within a second. No more: a program that then lives on what its threads cache comes
/// here no more, and keeps it.
const MOST_KEPT: usize = 40 << 20;
/// Free spans of this length and more are unmapped when the system has no addresses left, or counts them: 1 MiB.
const UNMAP: usize = (1 << 20) / PAGE;
/// And of this share of all pages, as each may leave a mapping more.
const MOST_HOLES: usize = 8192;

impl<S: System> Pages<S> {
    /// Gives up long free spans. `true`: there were some.
    pub(super) fn unmap_free(&self, free: &mut Held<'_, S>) -> bool {
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
    pub(in super::super) fn release_free(&self) -> bool {
        self.unmap_free(&mut self.free.lock())
    }

    /// As [`release_free`](Self::release_free), where what is committed counts against a limit.
    pub(in super::super) fn give_up_free(&self) {
        if self.allowance.charges() {
            self.release_free();
        }
    }

    /// The process is about to fork, which may be refused for what is free. `beside`: bytes of blocks outside of spans.
    pub(in super::super) fn make_way_for_fork(&self, beside: usize) {
        let used = self.used.load(Ordering::Relaxed) * PAGE + self.free_bytes() + beside;
        if !self.free.bare().is_interrupted() && self.allowance.may_refuse_fork(&self.source, used)
        {
            self.release_free();
        }
    }

    /// Pages that may be kept; `floor` in bytes.
    fn limit(&self, floor: usize) -> usize {
        let used = self.used.load(Ordering::Relaxed);
        (used / 2).max(floor / PAGE).min(self.allowance.room(used, PAGE))
    }

    pub(in super::super) fn tick(&self) -> u32 {
        base::bits::low32(base::bits::index((self.source.now_ms() / TICK_MS) & 0xffff_ffff))
    }

    /// Gives back what is kept beyond the limit, at most `most` pages.
    #[inline]
    pub(super) fn purge_some<'a>(&'a self, free: Held<'a, S>, most: usize) {
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
    pub(super) fn purge<'a>(
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
    pub(in super::super) fn purge_all(&self) -> usize {
        self.purge(self.free.lock(), 0, usize::MAX, true)
    }

    pub(in super::super) fn look_at_memory_limit(&self) {
        self.allowance.look(&self.source);
    }

    /// In the child of a fork: what another thread was about to give back is kept.
    pub(in super::super) fn note_child(&self) {
        let mut free = self.free.lock();
        while let Some(span) = free.leaving.pop() {
            self.used.lower(span.pages());
            self.kept.raise(span.pages());
            self.insert(&mut free, span, State::Kept);
        }
    }
}
