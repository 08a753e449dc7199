//! Doubly linked lists of descriptors.
//!
//! - **links-I1** a descriptor is on one list at most, and never unmapped while it is on one.
//!
//! Whoever has the list's lock, or owns it, may change it. O(1) but for `iter`.
use core::marker::PhantomData;
use core::ptr;

use base::sync::{AtomicUsize, Ordering};

/// What can be on a list.
/// # Safety
/// Where it is it stays, and is not unmapped, while it is on a list (links-I1).
pub unsafe trait Linked {
    /// The words for the next and the previous one.
    fn links(&self) -> &[AtomicUsize; 2];
}

/// A list, by the address of its first.
#[derive(Debug)]
pub struct List<T> {
    pub(crate) first: AtomicUsize,
    of: PhantomData<fn(T)>,
}

/// The descriptor at an address; `None` at 0.
/// # Safety
/// It is 0, or the address of a descriptor that stays.
#[inline]
pub unsafe fn at<'a, T>(address: usize) -> Option<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { ptr::with_exposed_provenance::<T>(address).as_ref() }
}

/// Where a descriptor is.
#[inline]
pub fn address<T>(of: &T) -> usize {
    ptr::from_ref(of).expose_provenance()
}

/// The one behind it.
#[inline]
pub fn next<'a, T: Linked>(this: &T) -> Option<&'a T> {
    // SAFETY: only descriptors are linked (links-I1).
    unsafe { at(this.links()[0].load(Ordering::Relaxed)) }
}

impl<T: Linked + 'static> List<T> {
    /// Empty.
    pub const fn new() -> Self {
        Self { first: AtomicUsize::new(0), of: PhantomData }
    }

    /// The first one.
    pub fn first<'a>(&self) -> Option<&'a T> {
        // SAFETY: only descriptors are linked (links-I1).
        unsafe { at(self.first.load(Ordering::Relaxed)) }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.first.load(Ordering::Relaxed) == 0
    }

    /// Forgets all.
    pub fn clear(&self) {
        self.first.store(0, Ordering::Relaxed);
    }

    /// Puts one in front, which is on no list.
    pub fn push(&self, new: &T) {
        let [next, prev] = new.links();
        prev.store(0, Ordering::Relaxed);
        next.store(self.first.load(Ordering::Relaxed), Ordering::Relaxed);
        if let Some(old) = self.first() {
            old.links()[1].store(address(new), Ordering::Relaxed);
        }
        self.first.store(address(new), Ordering::Relaxed);
    }

    /// Takes one off, which is on this list.
    pub fn remove(&self, old: &T) {
        let [next, prev] = old.links().each_ref().map(|link| link.load(Ordering::Relaxed));
        // SAFETY: only descriptors are linked (links-I1).
        let [next_one, before] = [next, prev].map(|link| unsafe { at::<T>(link) });
        before.map_or(&self.first, |prev| &prev.links()[0]).store(next, Ordering::Relaxed);
        if let Some(next) = next_one {
            next.links()[1].store(prev, Ordering::Relaxed);
        }
    }

    /// Takes the first off.
    pub fn pop<'a>(&self) -> Option<&'a T> {
        let first = self.first()?;
        self.remove(first);
        Some(first)
    }

    /// All of them; the one that is shown may be taken off.
    pub fn iter<'a>(&self) -> impl Iterator<Item = &'a T> + use<'a, T> {
        core::iter::successors(self.first(), |one: &&'a T| next(*one))
    }
}
