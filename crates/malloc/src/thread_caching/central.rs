//! The central list of a class: batches as threads gave them, and the spans that have objects.
//!
//! ```text
//! thread ─batch─► [ batch │ batch │ batch ]        kept as they came, or joined: one object of each is touched at most
//!                       └► span ⇄ span ⇄ span      `open`: each has an object to hand out
//!                          └─ its last object comes back ─► page heap
//! ```
//!
//! - **central-C1** a span of the class is on `open` exactly when it has an object to hand out.
//! - **central-C2** `out` is how many objects of the class are not in spans; those of batches are among them, none of which has more
//!   than a batch.
//!
//! One lock a class; O(1) a batch that is kept, else O(objects). After Ghemawat and Menage, "TCMalloc:
//! Thread-Caching Malloc".
use base::Broken;
use base::check::ensure;
use base::guarded::Guarded;
use base::lock::Lock;
use base::sync::{AtomicUsize, Ordering};
use page::System;

use super::classes::{Info, MOST_KEPT, info};
use super::pages::Pages;
use super::span::{List, Span};
use crate::links::{Chain, next_of, set_next};
use crate::misuse::Misuse;

/// While all lists together keep no more than this in batches, each may keep more than its least.
const MOST_TOGETHER: usize = 16 << 20;

fn bytes(chain: Chain, info: &Info) -> usize {
    chain.count as usize * info.size as usize
}

/// A class's list.
#[derive(Debug)]
pub(super) struct Central<S> {
    state: Guarded<S, State>,
}

#[derive(Debug)]
struct State {
    open: List,
    batches: [Chain; MOST_KEPT],
    count: usize,
    out: usize,
}

impl State {
    fn batched(&self) -> usize {
        self.batches[..self.count].iter().map(|batch| batch.count as usize).sum()
    }

    /// The newest batch, if at least half a batch is wanted or it has no more than that. `all`: bytes that all lists keep.
    fn pop(&mut self, all: &AtomicUsize, want: u32, info: &Info) -> Option<Chain> {
        let newest = *self.batches[..self.count].last()?;
        let fits = want.saturating_mul(2) > info.batch || newest.count <= want;
        fits.then(|| {
            self.count -= 1;
            all.fetch_sub(bytes(newest, info), Ordering::Relaxed);
            newest
        })
    }

    /// Keeps a chain: as a part of the newest batch, or a batch of its own. `false`: there are as many as may be.
    fn push(&mut self, all: &AtomicUsize, chain: Chain, info: &Info) -> bool {
        let is_kept = self.push_counted(all.load(Ordering::Relaxed) < MOST_TOGETHER, chain, info);
        if is_kept {
            all.fetch_add(bytes(chain, info), Ordering::Relaxed);
        }
        is_kept
    }

    fn push_counted(&mut self, is_little: bool, chain: Chain, info: &Info) -> bool {
        if let Some(newest) = self.batches[..self.count].last_mut()
            && newest.count + chain.count <= info.batch
        {
            set_next(chain.last, newest.first);
            *newest =
                Chain { first: chain.first, last: newest.last, count: newest.count + chain.count };
            return true;
        }
        let most = if is_little { info.most_kept } else { info.kept };
        let fits = self.count < most as usize && chain.count <= info.batch;
        if fits {
            self.batches[self.count] = chain;
            self.count += 1;
        }
        fits
    }
}

impl<S: System> Central<S> {
    pub(super) const fn new() -> Self {
        let state =
            State { open: List::new(), batches: [Chain::NONE; MOST_KEPT], count: 0, out: 0 };
        Self { state: Guarded::new(state) }
    }

    pub(super) fn lock_for_fork(&self) -> &Lock<S> {
        self.state.bare()
    }

    /// Takes up to `want` objects, perhaps more if a whole batch is there; none: out of memory. A span is made of rows of `unit`
    /// pages.
    pub(super) fn take(&self, pages: &Pages<S>, unit: usize, class: usize, want: u32) -> Chain {
        let info = info(class);
        let mut state = self.state.lock();
        if let Some(chain) = state.pop(&pages.batched, want, info) {
            return chain;
        }
        let mut chain = Chain::NONE;
        while chain.count < want {
            let span = match state.open.first() {
                Some(span) => span,
                // What is there is enough: no span is made for the rest.
                None if chain.count > 0 => break,
                None => match pages.allocate(info.pages(unit), 1, class) {
                    Some((span, _)) => {
                        state.open.push(span);
                        span
                    }
                    None => break,
                },
            };
            span.take(info, want, &mut chain);
            if !span.has_free() {
                state.open.remove(span);
            }
        }
        state.out += chain.count as usize;
        if chain.count == 0 {
            // No memory for a span: then a batch, however few are wanted.
            return state.pop(&pages.batched, info.batch, info).unwrap_or(chain);
        }
        chain
    }

    /// Takes objects back. What is none of the class is `Err`: its address, and what it is.
    pub(super) fn put(
        &self,
        pages: &Pages<S>,
        class: usize,
        chain: Chain,
    ) -> Result<(), (usize, Misuse)> {
        let info = info(class);
        let mut state = self.state.lock();
        if state.push(&pages.batched, chain, info) {
            return Ok(());
        }
        let emptied = List::new();
        let answer = put_in_spans(&mut state, pages, (class, info), chain.first, &emptied);
        drop(state);
        free_each(pages, &emptied);
        answer
    }

    /// Takes the batches apart, so that spans that are empty go back.
    pub(super) fn trim(&self, pages: &Pages<S>, class: usize) -> Result<(), (usize, Misuse)> {
        let emptied = List::new();
        let mut state = self.state.lock();
        while let Some(chain) = state.pop(&pages.batched, u32::MAX, info(class)) {
            put_in_spans(&mut state, pages, (class, info(class)), chain.first, &emptied)?;
        }
        drop(state);
        free_each(pages, &emptied);
        Ok(())
    }

    /// Objects that are with threads and the program.
    pub(super) fn out(&self) -> usize {
        let state = self.state.lock();
        state.out - state.batched()
    }

    /// Proves central-C1 and span-S2 for the spans on the list, and adds up what is out.
    /// Errors: the first broken invariant.
    pub(super) fn check(&self, class: usize) -> Result<(), Broken> {
        let state = self.state.lock();
        let info = info(class);
        for span in state.open.iter() {
            let at = span.start();
            ensure(span.class() == class, "central-C1: a span is on its class's list", at)?;
            ensure(span.has_free(), "central-C1: a span on the list has an object", at)?;
            let [used, fresh] = [&span.used, &span.fresh].map(|n| n.load(Ordering::Relaxed));
            let sum = used + fresh + span.count_free();
            ensure(sum == span.objects(info), "span-S2: a span's objects add up", at)?;
        }
        ensure(state.out >= state.batched(), "central-C2: batches are out of spans", class)?;
        for batch in &state.batches[..state.count] {
            let (mut count, mut last) = (1, batch.first);
            while next_of(last) != 0 {
                count += 1;
                last = next_of(last);
            }
            let whole = (count, last) == (batch.count, batch.last) && count <= info.batch;
            ensure(whole, "central-C2: a batch has what it says", batch.first)?;
        }
        Ok(())
    }
}

/// Spans without an object go to the page heap, which may ask the system for something: not under a class's lock.
fn free_each<S: System>(pages: &Pages<S>, emptied: &List) {
    while let Some(span) = emptied.pop() {
        pages.free(span);
    }
}

/// Gives the objects of a chain back to their spans; those that are empty by that come to `emptied`.
fn put_in_spans<S: System>(
    state: &mut State,
    pages: &Pages<S>,
    (class, info): (usize, &Info),
    first: usize,
    emptied: &List,
) -> Result<(), (usize, Misuse)> {
    let mut object = first;
    while object != 0 {
        let next = next_of(object);
        let entry = pages.entry(object);
        let span = entry.span().filter(|_| entry.class() == class);
        let Some(span) = span else { return Err((object, Misuse::NoBlock)) };
        if !span.is_object(object, info.size as usize) {
            return Err((object, Misuse::Inside));
        }
        put_in_span(state, span, object, emptied)?;
        object = next;
    }
    Ok(())
}

fn put_in_span(
    state: &mut State,
    span: &Span,
    object: usize,
    emptied: &List,
) -> Result<(), (usize, Misuse)> {
    let is_last_freed = span.free.load(Ordering::Relaxed) == object;
    if span.used.load(Ordering::Relaxed) == 0 || is_last_freed {
        return Err((object, Misuse::Free));
    }
    let was_full = !span.has_free();
    span.put(object);
    state.out -= 1;
    if span.used.load(Ordering::Relaxed) == 0 {
        if !was_full {
            state.open.remove(span);
        }
        emptied.push(span);
    } else if was_full {
        state.open.push(span);
    }
    Ok(())
}
