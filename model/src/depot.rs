//! The depot of a shared cache and the map that finds its slabs, after `crates/kernel/src/kmem_cache/{shared,page_map}.rs`,
//! function by function.
//!
//! Objects are numbers from 1, each with a loom cell that is written by whoever has it. A magazine has one round. A node of the map
//! has a cell that whoever makes it writes and whoever looks reads.
use base::sync::{AtomicUsize, Ordering};
use loom::cell::UnsafeCell;
use loom::sync::Mutex;

/// Full magazines that the depot keeps.
const MOST: usize = 1;

/// What no thread has.
pub(crate) struct World {
    full: Mutex<Vec<usize>>,
    slabs: Mutex<Vec<usize>>,
    objects: Vec<UnsafeCell<()>>,
    pub(crate) map: Map,
}

/// A thread's two magazines.
#[derive(Default)]
pub(crate) struct Pair {
    main: Option<usize>,
    spare: Option<usize>,
}

impl World {
    /// `publish` is how a map's height is stored.
    pub(crate) fn new(objects: usize, publish: Ordering) -> World {
        World {
            full: Mutex::new(Vec::new()),
            slabs: Mutex::new((1..=objects).collect()),
            objects: (0..=objects).map(|_| UnsafeCell::new(())).collect(),
            map: Map::new(publish),
        }
    }

    pub(crate) fn touch(&self, object: usize) {
        self.objects[object].with_mut(|_| ());
    }

    pub(crate) fn allocate(&self, pair: &mut Pair) -> Option<usize> {
        if pair.main.is_none() {
            if pair.spare.is_some() {
                core::mem::swap(&mut pair.main, &mut pair.spare);
            } else {
                // `get_full`, then `refill`.
                pair.main = self.full.lock().unwrap().pop();
                if pair.main.is_none() {
                    pair.main = self.slabs.lock().unwrap().pop();
                }
            }
        }
        let object = pair.main.take()?;
        self.touch(object);
        Some(object)
    }

    pub(crate) fn free(&self, pair: &mut Pair, object: usize) {
        self.touch(object);
        if let Some(full) = pair.main {
            // `make_room`.
            if pair.spare.is_none() {
                core::mem::swap(&mut pair.main, &mut pair.spare);
            } else {
                let mut depot = self.full.lock().unwrap();
                if depot.len() < MOST {
                    depot.push(full);
                } else {
                    drop(depot);
                    self.slabs.lock().unwrap().push(full);
                }
            }
        }
        pair.main = Some(object);
    }

    pub(crate) fn flush(&self, pair: Pair) {
        self.slabs.lock().unwrap().extend(pair.main.into_iter().chain(pair.spare));
    }

    /// All objects that no thread has, once all threads are gone.
    pub(crate) fn all(&self) -> Vec<usize> {
        let mut all = self.slabs.lock().unwrap().clone();
        all.extend(self.full.lock().unwrap().iter());
        all.sort_unstable();
        all
    }
}

/// The map, with nodes of two words: page 0 and 1 lie in leaf 0, 2 and 3 in leaf 1; at height 2 the root has both.
pub(crate) struct Map {
    height: AtomicUsize,
    /// Of height 1 the first leaf, of height 2 the root; nodes by number, 0 for none.
    tops: [AtomicUsize; 2],
    nodes: [Node; 4],
    publish: Ordering,
}

struct Node {
    /// Its memory, which is cleared before anybody is led to it.
    cleared: UnsafeCell<()>,
    words: [AtomicUsize; 2],
}

const ROOT: usize = 3;

impl Map {
    fn new(publish: Ordering) -> Map {
        let number = || AtomicUsize::new(0);
        let node = |_| Node { cleared: UnsafeCell::new(()), words: [number(), number()] };
        let nodes = [0, 1, 2, 3].map(node);
        Map { height: number(), tops: [number(), number()], nodes, publish }
    }

    fn new_node(&self, node: usize) {
        self.nodes[node].cleared.with_mut(|_| ());
    }

    fn word(&self, node: usize, index: usize) -> &AtomicUsize {
        self.nodes[node].cleared.with(|_| ());
        &self.nodes[node].words[index & 1]
    }

    pub(crate) fn get(&self, page: usize) -> usize {
        let height = self.height.load(Ordering::Acquire);
        if height == 0 || page >> height != 0 {
            return 0;
        }
        let mut node = self.tops[height - 1].load(Ordering::Acquire);
        if height == 2 {
            node = self.word(node, page >> 1).load(Ordering::Acquire);
        }
        if node == 0 { 0 } else { self.word(node, page).load(Ordering::Acquire) }
    }

    /// The first page of leaf 0: makes the leaf.
    pub(crate) fn set_near(&self, page: usize, to: usize) {
        self.new_node(1);
        self.tops[0].store(1, Ordering::Relaxed);
        self.height.store(1, Ordering::Release);
        self.word(1, page).store(to, Ordering::Release);
    }

    /// A page of leaf 1: rises, then makes the leaf.
    pub(crate) fn set_far(&self, page: usize, to: usize) {
        self.new_node(ROOT);
        self.word(ROOT, 0).store(self.tops[0].load(Ordering::Relaxed), Ordering::Relaxed);
        self.tops[1].store(ROOT, Ordering::Relaxed);
        self.height.store(2, self.publish);
        self.new_node(2);
        self.word(ROOT, 1).store(2, Ordering::Release);
        self.word(2, page).store(to, Ordering::Release);
    }
}
