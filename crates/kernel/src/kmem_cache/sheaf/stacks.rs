//! Magazines that are on their own: a stack of them, and the list of all that a cache has.
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};

use super::{Header, Sheaf};

fn sheaf(at: &AtomicPtr<Header>) -> Option<Sheaf> {
    NonNull::new(at.load(Ordering::Relaxed)).map(Sheaf)
}

fn set(at: &AtomicPtr<Header>, to: Option<Sheaf>) {
    at.store(to.map_or(ptr::null_mut(), |sheaf| sheaf.0.as_ptr()), Ordering::Relaxed);
}

/// Magazines in a row, the one that came last first.
#[derive(Debug)]
pub(in crate::kmem_cache) struct Stack {
    head: Option<Sheaf>,
    len: usize,
}

impl Stack {
    pub(in crate::kmem_cache) const fn new() -> Self {
        Self { head: None, len: 0 }
    }

    pub(in crate::kmem_cache) const fn len(&self) -> usize {
        self.len
    }

    pub(in crate::kmem_cache) fn push(&mut self, one: Sheaf) {
        set(&one.header().next, self.head);
        self.head = Some(one);
        self.len += 1;
    }

    pub(in crate::kmem_cache) fn pop(&mut self) -> Option<Sheaf> {
        let one = self.head?;
        self.head = sheaf(&one.header().next);
        self.len -= 1;
        Some(one)
    }

    pub(in crate::kmem_cache) fn iter(&self) -> impl Iterator<Item = Sheaf> {
        core::iter::successors(self.head, |one| sheaf(&one.header().next))
    }
}

#[derive(Debug)]
pub(in crate::kmem_cache) struct Known {
    newest: Option<Sheaf>,
}

impl Known {
    pub(in crate::kmem_cache) const fn new() -> Self {
        Self { newest: None }
    }

    pub(in crate::kmem_cache) fn add(&mut self, one: Sheaf) {
        set(&one.header().older, self.newest);
        set(&one.header().newer, None);
        if let Some(older) = self.newest.replace(one) {
            set(&older.header().newer, Some(one));
        }
    }

    pub(in crate::kmem_cache) fn remove(&mut self, one: Sheaf) {
        let (older, newer) = (sheaf(&one.header().older), sheaf(&one.header().newer));
        match newer {
            Some(newer) => set(&newer.header().older, older),
            None => self.newest = older,
        }
        if let Some(older) = older {
            set(&older.header().newer, newer);
        }
    }

    pub(in crate::kmem_cache) fn iter(&self) -> impl Iterator<Item = Sheaf> {
        core::iter::successors(self.newest, |one| sheaf(&one.header().older))
    }
}
