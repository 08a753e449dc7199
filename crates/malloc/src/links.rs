//! Doubly linked lists of descriptors, and singly linked chains of free objects.
//!
//! - **links-I1** a descriptor is on one list at most, and never unmapped while it is on one.
//!
//! Whoever has the list's lock, or owns it, may change it. O(1) but for `iter`.
use core::marker::PhantomData;
use core::ptr;

use base::sync::{AtomicUsize, Ordering};

pub(crate) trait Linked {
    /// The words for the next and the previous one.
    fn links(&self) -> &[AtomicUsize; 2];
}

#[derive(Debug)]
pub(crate) struct List<T> {
    first: AtomicUsize,
    of: PhantomData<fn(T)>,
}

/// The descriptor at an address; `None` at 0.
#[inline]
pub(crate) fn at<'a, T>(address: usize) -> Option<&'a T> {
    // SAFETY: 0, or the address of a descriptor: only those are linked (links-I1).
    unsafe { ptr::with_exposed_provenance::<T>(address).as_ref() }
}

pub(crate) fn address<T>(of: &T) -> usize {
    ptr::from_ref(of).expose_provenance()
}

pub(crate) fn next<'a, T: Linked>(this: &T) -> Option<&'a T> {
    at(this.links()[0].load(Ordering::Relaxed))
}

impl<T: Linked + 'static> List<T> {
    pub(crate) const fn new() -> Self {
        Self { first: AtomicUsize::new(0), of: PhantomData }
    }

    pub(crate) fn first<'a>(&self) -> Option<&'a T> {
        at(self.first.load(Ordering::Relaxed))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.load(Ordering::Relaxed) == 0
    }

    pub(crate) fn clear(&self) {
        self.first.store(0, Ordering::Relaxed);
    }

    pub(crate) fn push(&self, new: &T) {
        let [next, prev] = new.links();
        prev.store(0, Ordering::Relaxed);
        next.store(self.first.load(Ordering::Relaxed), Ordering::Relaxed);
        if let Some(old) = self.first() {
            old.links()[1].store(address(new), Ordering::Relaxed);
        }
        self.first.store(address(new), Ordering::Relaxed);
    }

    pub(crate) fn remove(&self, old: &T) {
        let [next, prev] = old.links().each_ref().map(|link| link.load(Ordering::Relaxed));
        let before = at::<T>(prev).map_or(&self.first, |prev| &prev.links()[0]);
        before.store(next, Ordering::Relaxed);
        if let Some(next) = at::<T>(next) {
            next.links()[1].store(prev, Ordering::Relaxed);
        }
    }

    pub(crate) fn pop<'a>(&self) -> Option<&'a T> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }

    pub(crate) fn iter<'a>(&self) -> impl Iterator<Item = &'a T> + use<'a, T> {
        core::iter::successors(self.first(), |one: &&'a T| {
            at(one.links()[0].load(Ordering::Relaxed))
        })
    }
}

/// A list that has an end too.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    list: List<T>,
    last: AtomicUsize,
}

impl<T: Linked + 'static> Queue<T> {
    pub(crate) const fn new() -> Self {
        Self { list: List::new(), last: AtomicUsize::new(0) }
    }

    pub(crate) fn first<'a>(&self) -> Option<&'a T> {
        self.list.first()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(crate) fn last<'a>(&self) -> Option<&'a T> {
        at(self.last.load(Ordering::Relaxed))
    }

    pub(crate) fn clear(&self) {
        self.list.clear();
        self.last.store(0, Ordering::Relaxed);
    }

    pub(crate) fn push_front(&self, new: &T) {
        if self.list.is_empty() {
            self.last.store(address(new), Ordering::Relaxed);
        }
        self.list.push(new);
    }

    pub(crate) fn push_back(&self, new: &T) {
        let Some(last) = at::<T>(self.last.load(Ordering::Relaxed)) else {
            return self.push_front(new);
        };
        let [next, prev] = new.links();
        next.store(0, Ordering::Relaxed);
        prev.store(address(last), Ordering::Relaxed);
        last.links()[0].store(address(new), Ordering::Relaxed);
        self.last.store(address(new), Ordering::Relaxed);
    }

    pub(crate) fn remove(&self, old: &T) {
        if self.last.load(Ordering::Relaxed) == address(old) {
            self.last.store(old.links()[1].load(Ordering::Relaxed), Ordering::Relaxed);
        }
        self.list.remove(old);
    }

    pub(crate) fn pop<'a>(&self) -> Option<&'a T> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }

    pub(crate) fn iter<'a>(&self) -> impl Iterator<Item = &'a T> + use<'a, T> {
        self.list.iter()
    }
}

/// The word of a free object that leads to the next one; 0: it is the last.
#[inline(always)]
pub(crate) fn next_of(object: usize) -> usize {
    // SAFETY: a free object has a word, and nobody else reads it.
    unsafe { ptr::with_exposed_provenance::<usize>(object).read() }
}

#[inline(always)]
pub(crate) fn set_next(object: usize, next: usize) {
    // SAFETY: as above.
    unsafe { ptr::with_exposed_provenance_mut::<usize>(object).write(next) }
}
