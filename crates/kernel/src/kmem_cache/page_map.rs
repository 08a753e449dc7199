//! From a page's address to a pointer: a tree that is as high as the addresses in it lie apart.
//!
//! ```text
//! height 3, top 2    node ─┬─► node ─┬─► leaf  [ │ ● │ ● │ │ … ]   512 words of 64 bits, a page each
//! height 2, top 1    node ─┘         └─► leaf
//! height 1, top 0    leaf       a top of less height stays, and is a part of the higher one
//! ```
//!
//! - **page-map-G1** the tree of height h covers the pages whose number is `prefix` without its low h·BITS bits; every pointer set lies in
//!   the tree of the present height.
//! - **page-map-G2** nodes are zero at first and stay where they are until [`clear`](PageMap::clear).
//!
//! Height rises at most to seven, so a look is at most seven loads; two where all pages lie within 1 GiB. Layer *kernel*. The low six
//! bits of a pointer are the user's.
use core::cell::Cell;
use core::ptr::{self, NonNull};

use base::PageAllocator;

const NODE: usize = 4096;
const WORDS: usize = NODE / size_of::<usize>();
/// log2 of the words of a node.
const BITS: usize = WORDS.ilog2() as usize;
/// Enough for every address and pages of 64 bytes.
const LEVELS: usize = (usize::BITS as usize - 6).div_ceil(BITS);
const _: () = assert!(LEVELS * BITS < usize::BITS as usize, "every shift is one");

type Word = Cell<*mut u8>;
type Node = [Word; WORDS];

#[derive(Debug)]
struct Top {
    prefix: Cell<usize>,
    node: Cell<*mut Node>,
}

impl Top {
    const fn new() -> Self {
        Self { prefix: Cell::new(0), node: Cell::new(ptr::null_mut()) }
    }
}

#[derive(Debug)]
pub(crate) struct PageMap {
    height: Cell<usize>,
    tops: [Top; LEVELS],
    /// log2 of a page's bytes.
    shift: u32,
    nodes: Cell<usize>,
}

// SAFETY: its nodes are its own.
unsafe impl Send for PageMap {}

/// What was found last, for whoever looks often at pages near each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Near {
    key: usize,
    leaf: *const Node,
}

// SAFETY: what it leads to stays, and is its owner's (page-map-G2).
unsafe impl Send for Near {}

impl Near {
    pub(crate) const NOTHING: Self = Self { key: usize::MAX, leaf: ptr::null() };
}

/// A number without `levels` times BITS of its low bits.
#[inline]
const fn above(page: usize, levels: usize) -> usize {
    page >> (levels * BITS)
}

#[inline]
fn word(node: &Node, page: usize, level: usize) -> &Word {
    &node[above(page, level) & (WORDS - 1)]
}

impl PageMap {
    /// Without entries, for pages of this size, a power of two.
    pub(crate) const fn new(page: usize) -> Self {
        Self {
            height: Cell::new(0),
            tops: [const { Top::new() }; LEVELS],
            shift: page.trailing_zeros(),
            nodes: Cell::new(0),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nodes.get() * NODE
    }

    /// The pointer of the page that `address` lies in; null where none was set.
    #[inline]
    pub(crate) fn get(&self, address: usize) -> *mut u8 {
        let page = address >> self.shift;
        self.leaf(page).map_or(ptr::null_mut(), |leaf| word(leaf, page, 0).get())
    }

    #[inline(always)]
    pub(crate) fn page_of(&self, address: usize) -> usize {
        address >> self.shift
    }

    /// The same as [`get`](Self::get) where the page is in the leaf that was found last; else null.
    #[inline(always)]
    pub(crate) fn get_near(&self, address: usize, near: &Near) -> *mut u8 {
        let page = address >> self.shift;
        if page >> BITS != near.key {
            return ptr::null_mut();
        }
        // SAFETY: a leaf of this map, which stays (page-map-G2).
        let leaf = unsafe { &*near.leaf };
        leaf[page & (WORDS - 1)].get()
    }

    /// The same as [`get`](Self::get), and what was found is near from now on.
    pub(crate) fn go(&self, address: usize, near: &mut Near) -> *mut u8 {
        let page = address >> self.shift;
        let Some(leaf) = self.leaf(page) else { return ptr::null_mut() };
        *near = Near { key: page >> BITS, leaf };
        word(leaf, page, 0).get()
    }

    #[inline]
    fn leaf(&self, page: usize) -> Option<&Node> {
        let height = self.height.get();
        let top = self.tops.get(height.wrapping_sub(1))?;
        if above(page, height) != top.prefix.get() {
            return None;
        }
        let mut node = top.node.get();
        for level in (1..height).rev() {
            // SAFETY: a node of this map, which stays (page-map-G2).
            let here = unsafe { &*node };
            node = word(here, page, level).get().cast();
            if node.is_null() {
                return None;
            }
        }
        // SAFETY: a leaf of this map, which stays (page-map-G2).
        unsafe { node.as_ref() }
    }

    /// Sets the pointer of each of `count` pages from `start` on. `false`: there was no memory for nodes; nothing is set.
    pub(crate) fn set<P: PageAllocator>(
        &self,
        start: NonNull<u8>,
        count: usize,
        to: *mut u8,
        pages: &mut P,
    ) -> bool {
        let first = start.addr().get() >> self.shift;
        let there = (first..first + count).all(|page| self.reach(page, pages).is_some());
        if there {
            self.put(first, count, to);
        }
        there
    }

    /// Sets the pointers of `count` pages to null, which were set before.
    pub(crate) fn unset(&self, start: NonNull<u8>, count: usize) {
        self.put(start.addr().get() >> self.shift, count, ptr::null_mut());
    }

    fn put(&self, first: usize, count: usize, to: *mut u8) {
        for page in first..first + count {
            if let Some(leaf) = self.leaf(page) {
                word(leaf, page, 0).set(to);
            }
        }
    }

    /// The leaf of a page; makes what is missing on the way.
    fn reach<P: PageAllocator>(&self, page: usize, pages: &mut P) -> Option<&Node> {
        if let Some(leaf) = self.leaf(page) {
            return Some(leaf);
        }
        self.rise(page, pages)?;
        let height = self.height.get();
        let mut node = self.tops[height - 1].node.get();
        for level in (1..height).rev() {
            // SAFETY: a node of this map, which stays (page-map-G2).
            let here = unsafe { &*node };
            let next = word(here, page, level);
            node = next.get().cast();
            if node.is_null() {
                node = self.new_node(pages)?.as_ptr();
                next.set(node.cast());
            }
        }
        // SAFETY: a leaf of this map, which stays (page-map-G2).
        unsafe { node.as_ref() }
    }

    /// Makes the tree high enough to cover a page.
    fn rise<P: PageAllocator>(&self, page: usize, pages: &mut P) -> Option<()> {
        let height = self.height.get();
        if height == 0 {
            let leaf = self.new_node(pages)?;
            self.crown(1, page, leaf);
            return Some(());
        }
        let top = &self.tops[height - 1];
        let prefix = top.prefix.get();
        let mut higher = 0;
        while above(prefix, higher) != above(page, height + higher) {
            higher += 1;
        }
        if higher == 0 {
            return Some(());
        }
        // From the new root down, so that what is there hangs at the end of the chain; a chain that is not crowned is kept nowhere.
        let mut below = top.node.get().cast::<u8>();
        let mut made = [None; LEVELS];
        for level in 0..higher {
            let Some(node) = self.new_node(pages) else {
                made.into_iter().flatten().for_each(|node| self.drop_node(node, pages));
                return None;
            };
            made[level] = Some(node);
            // SAFETY: just made.
            let here = unsafe { node.as_ref() };
            word(here, prefix, level).set(below);
            below = node.as_ptr().cast();
        }
        let root = made[higher - 1]?;
        self.crown(height + higher, page, root);
        Some(())
    }

    fn crown(&self, height: usize, page: usize, root: NonNull<Node>) {
        let top = &self.tops[height - 1];
        top.prefix.set(above(page, height));
        top.node.set(root.as_ptr());
        self.height.set(height);
    }

    fn new_node<P: PageAllocator>(&self, pages: &mut P) -> Option<NonNull<Node>> {
        let node = pages.allocate_pages(NODE.div_ceil(pages.page_size()), NODE)?;
        // SAFETY: memory of this length, which is the map's now.
        unsafe { node.write_bytes(0, NODE) };
        self.nodes.set(self.nodes.get() + 1);
        Some(node.cast())
    }

    fn drop_node<P: PageAllocator>(&self, node: NonNull<Node>, pages: &mut P) {
        self.nodes.set(self.nodes.get() - 1);
        let count = NODE.div_ceil(pages.page_size());
        // SAFETY: `new_node` took these pages, and nothing leads to them any more.
        unsafe { pages.deallocate_pages(node.cast(), count) };
    }

    /// Shows each pointer that is set. O(nodes).
    pub(crate) fn each(&self, show: &mut dyn FnMut(*mut u8)) {
        let height = self.height.get();
        if let Some(top) = self.tops.get(height.wrapping_sub(1)) {
            Self::each_below(top.node.get().cast(), height, show);
        }
    }

    fn each_below(at: *mut u8, level: usize, show: &mut dyn FnMut(*mut u8)) {
        if at.is_null() {
            return;
        }
        if level == 0 {
            return show(at);
        }
        // SAFETY: a node of this map, which stays (page-map-G2).
        let node = unsafe { &*at.cast::<Node>() };
        node.iter().for_each(|word| Self::each_below(word.get(), level - 1, show));
    }

    /// Gives all nodes back; nothing is set any more. Nobody looks meanwhile, or with what was near.
    pub(crate) fn clear<P: PageAllocator>(&self, pages: &mut P) {
        let height = self.height.get();
        self.height.set(0);
        let root = if height == 0 { None } else { NonNull::new(self.tops[height - 1].node.get()) };
        if let Some(root) = root {
            self.clear_below(root, height - 1, pages);
        }
    }

    fn clear_below<P: PageAllocator>(&self, node: NonNull<Node>, level: usize, pages: &mut P) {
        if level > 0 {
            for at in 0..WORDS {
                // SAFETY: a node of this map, nobody else uses it any more.
                let word = unsafe { &node.as_ref()[at] };
                if let Some(next) = NonNull::new(word.get()) {
                    self.clear_below(next.cast(), level - 1, pages);
                }
            }
        }
        self.drop_node(node, pages);
    }
}

#[cfg(test)]
mod tests;
