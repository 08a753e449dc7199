//! The frames that a thread has met on its own stack, each with the one that called it.
//!
//! ```text
//! (place of the return address, the address) ─► bucket ─► a node: the last of a run │ of frames │ that call each other
//!                                                         which the last of another run has called, and so on to the outermost
//!                                                         all their addresses still stand where they stood: it is the same stack
//! ```
//!
//! A program comes again and again to the same few hundred stacks, and to look whether each address is where it was takes a few
//! instructions a frame; to find by the compilers' tables where it should be takes a hundred.

use super::rules;

/// The most frames of a stack. What is further out is left away, and said by a frame without an address.
pub(super) const DEEPEST: usize = 128;
/// Nodes that are remembered; then all are forgotten.
const NODES: usize = 2048;
const BUCKETS: usize = 1024;
/// Nodes of a bucket: those that were met last.
const WAYS: usize = 4;

/// A frame: where its return address stands, and the address.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) address: usize,
}

/// What is known of it besides.
#[derive(Clone, Copy)]
#[repr(C)]
struct Node {
    /// What it has in rbp, if its caller is found by that; else 0.
    rbp: usize,
    number: u32,
    /// The first node of its run: each node of a run is called by the one before it.
    first: u16,
    /// The node that calls the first; 0: none.
    outer: u16,
    /// How many frames it and its callers are.
    depth: u16,
}

/// The nodes. Zeros at first.
#[repr(C)]
pub(super) struct Met {
    /// The last node; the first has the number 1.
    last: usize,
    /// Of which [`code`](rules::code) they are.
    code: u32,
    buckets: [[u16; WAYS]; BUCKETS],
    places: [Place; NODES],
    nodes: [Node; NODES],
}

impl Met {
    pub(super) fn forget(&mut self) {
        self.last = 0;
        self.code = rules::code();
        self.buckets.fill([0; WAYS]);
    }

    pub(super) fn number(&self, node: usize) -> u32 {
        self.nodes[node % NODES].number
    }

    pub(super) fn depth(&self, node: usize) -> usize {
        self.nodes[node % NODES].depth.into()
    }

    /// The node of a frame of the thread's own stack, which is read up from there: if it was met with the callers that it has now, so
    /// many of them.
    #[inline(always)]
    pub(super) fn find(
        &self,
        at: usize,
        address: usize,
        rbp: usize,
        callers: usize,
    ) -> Option<usize> {
        if self.code != rules::code() {
            return None;
        }
        let bucket = &self.buckets[bucket(at, address)];
        bucket.iter().map(|&node| usize::from(node) % NODES).find(|&node| {
            let Place { at: its, address: to } = self.places[node];
            its == at && to == address && self.is_there(node, rbp, callers)
        })
    }

    /// Whether a node's frame, and so many callers of it, are where they were.
    #[inline(never)]
    fn is_there(&self, node: usize, rbp: usize, callers: usize) -> bool {
        let (mut here, mut left) = (node % NODES, callers);
        let Node { rbp: by, mut first, mut outer, .. } = self.nodes[here];
        if by != 0 && by != rbp {
            return false;
        }
        while left > 0 {
            if here != usize::from(first) {
                here -= 1;
            } else if outer == 0 {
                return true;
            } else {
                here = usize::from(outer) % NODES;
                Node { first, outer, .. } = self.nodes[here];
            }
            if !self.places[here % NODES].is_same() {
                return false;
            }
            left -= 1;
        }
        true
    }

    /// Whether there is room for so many more of the code that there is. If not, all are forgotten.
    pub(super) fn has_room(&mut self, more: usize) -> bool {
        let has_room = self.last + more < NODES && self.code == rules::code();
        if !has_room {
            self.forget();
        }
        has_room
    }

    /// Adds a frame of this number with its caller's node, if it has one: its own. There is room.
    pub(super) fn add(&mut self, caller: usize, place: Place, rbp: usize, number: u32) -> usize {
        let its = self.nodes[caller % NODES];
        let node = self.last + 1;
        let (first, outer) = match caller {
            0 => (node as u16, 0),
            caller if caller == self.last => (its.first, its.outer),
            caller => (node as u16, caller as u16),
        };
        let depth = if caller == 0 { 1 } else { its.depth + 1 };
        self.last = node;
        self.places[node % NODES] = place;
        self.nodes[node % NODES] = Node { rbp, number, first, outer, depth };
        let bucket = &mut self.buckets[bucket(place.at, place.address)];
        bucket.rotate_right(1);
        bucket[0] = node as u16;
        node
    }
}

impl Place {
    /// Whether its address still stands there.
    #[inline(always)]
    fn is_same(&self) -> bool {
        let place = core::ptr::with_exposed_provenance::<usize>(self.at);
        // SAFETY: further out on a stack that can be read up to its top.
        self.address == unsafe { place.read() }
    }
}

#[inline(always)]
fn bucket(at: usize, address: usize) -> usize {
    let both = (at as u64 >> 3) ^ (address as u64) << 20;
    (both.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - BUCKETS.ilog2())) as usize
}
