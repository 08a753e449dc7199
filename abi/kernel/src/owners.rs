//! Whose a page is: from an address to the cache that has taken its page, without a lock.
//!
//! ```text
//! roots   [ leaf │ leaf │      │ … ]     a root for 256 MiB, by the address, again from the front after 16 TiB
//!            └─► [ cache │ cache │ null │ … ]      a word for each page
//! ```
//!
//! - **owners-O1** a leaf stays where it is once a root leads to it.
//! - **owners-O2** a word is null, or a cache's room, which is never unmapped; whether a cache is there says its life.
//!
//! All pages lie in one range of 8 TiB at most, so no two of them share a word. An address elsewhere may find a cache
//! too, which then says that it has no such object. A look is two loads.
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use source::PageSource;
use source::os::Os;

use crate::kmem::Cache;
use crate::pages::PAGE;

/// Words of a leaf, and roots.
const COUNT: usize = 1 << 16;

type Leaf = [AtomicPtr<Cache>; COUNT];

static ROOTS: [AtomicPtr<Leaf>; COUNT] = [const { AtomicPtr::new(ptr::null_mut()) }; COUNT];

fn root(address: usize) -> &'static AtomicPtr<Leaf> {
    &ROOTS[address / PAGE / COUNT % COUNT]
}

fn leaf(address: usize) -> Option<&'static Leaf> {
    let leaf = root(address).load(Ordering::Acquire);
    // SAFETY: null, or a leaf, which stays (owners-O1).
    unsafe { leaf.as_ref() }
}

/// The leaf for an address, made if it is not there. `None`: there is no memory.
fn make(address: usize) -> Option<&'static Leaf> {
    if let Some(leaf) = leaf(address) {
        return Some(leaf);
    }
    // New memory is 0, and costs memory only where words are set.
    let new = Os.map(size_of::<Leaf>(), PAGE.max(Os.page_size()))?;
    let place = ptr::with_exposed_provenance_mut(new);
    let put =
        root(address).compare_exchange(ptr::null_mut(), place, Ordering::AcqRel, Ordering::Acquire);
    if put.is_err() {
        // SAFETY: just mapped; somebody else was first, so nobody has seen it.
        unsafe { Os.release(new, size_of::<Leaf>()) };
    }
    leaf(address)
}

/// Says whose each of `pages` pages from `start` on is. `false`: there is no memory; the caller keeps none of them.
pub(crate) fn set(start: usize, pages: usize, owner: *const Cache) -> bool {
    let mut addresses = (0..pages).map(|page| start + page * PAGE);
    addresses.all(|address| {
        let Some(leaf) = make(address) else { return false };
        leaf[address / PAGE % COUNT].store(owner.cast_mut(), Ordering::Release);
        true
    })
}

/// They are nobody's any more.
pub(crate) fn clear(start: usize, pages: usize) {
    for address in (0..pages).map(|page| start + page * PAGE) {
        if let Some(leaf) = leaf(address) {
            leaf[address / PAGE % COUNT].store(ptr::null_mut(), Ordering::Release);
        }
    }
}

/// The room of the cache that has the page at an address.
pub(crate) fn of(address: usize) -> Option<&'static Cache> {
    let owner = leaf(address)?[address / PAGE % COUNT].load(Ordering::Acquire);
    // SAFETY: null, or a cache's room, which is never unmapped (owners-O2).
    unsafe { owner.as_ref() }
}
