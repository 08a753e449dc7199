//! Lists that have an end, and singly linked chains of free objects.
use base::sync::{AtomicUsize, Ordering};
pub(crate) use thread::links::{Linked, List, address, next};

/// The descriptor at an address that is one's own, a link's or an entry's of a map; `None` at 0.
#[inline]
pub(crate) fn at<'a, T>(address: usize) -> Option<&'a T> {
    // SAFETY: such an address is 0 or a descriptor's (links-I1).
    unsafe { thread::links::at(address) }
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
    unsafe { core::ptr::with_exposed_provenance::<usize>(object).read() }
}

#[inline(always)]
pub(crate) fn set_next(object: usize, next: usize) {
    // SAFETY: as above.
    unsafe { core::ptr::with_exposed_provenance_mut::<usize>(object).write(next) }
}

/// Puts a chain of free objects in front of what other threads push too, and one takes.
pub(crate) fn push_shared(front: &AtomicUsize, first: usize, last: usize) {
    let mut old = front.load(Ordering::Relaxed);
    loop {
        set_next(last, old);
        match front.compare_exchange_weak(old, first, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => old = other,
        }
    }
}

/// Takes all that was pushed: each object to `give`.
pub(crate) fn take_shared(front: &AtomicUsize, mut give: impl FnMut(usize)) {
    let mut object = front.swap(0, Ordering::Acquire);
    while object != 0 {
        let next = next_of(object);
        give(object);
        object = next;
    }
}

/// Free objects, each but the last leading to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) first: usize,
    pub(crate) last: usize,
    pub(crate) count: u32,
}

impl Chain {
    pub(crate) const NONE: Self = Self { first: 0, last: 0, count: 0 };

    /// Of one object.
    pub(crate) fn of(object: usize) -> Self {
        Self { first: object, last: object, count: 1 }
    }

    /// An object in front of the others; the last leads to 0.
    #[inline]
    pub(crate) fn push(&mut self, object: usize) {
        set_next(object, self.first);
        if self.count == 0 {
            self.last = object;
        }
        self.first = object;
        self.count += 1;
    }

    /// All but the first.
    pub(crate) fn rest(self) -> Self {
        if self.count < 2 {
            Self::NONE
        } else {
            Self { first: next_of(self.first), count: self.count - 1, ..self }
        }
    }
}
