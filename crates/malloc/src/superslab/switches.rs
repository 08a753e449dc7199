//! The parts of the design, each of which can be off: the suspects of the founding text, whose superslabs made a program 5.2 %
//! slower instead of 10 to 15 % faster.
//!
//! | key | on (as it is meant) | off |
//! |---|---|---|
//! | `superslab` | slabs are cut from superslabs of 2 MiB | each slab is a mapping of its own |
//! | `magazine` | objects that a thread keeps of a class, 0 to 120 | 0: each object comes from its slab and goes back to it |
//! | `lazy_init` | objects of a slab are counted off as they are first needed | all are linked when the slab is made |
//! | `reuse_pool` | empty superslabs wait in a pool | they are unmapped at once |
//! | `one_lookup` | the record of a class holds the slab that serves now | it is found as the text does: a superslab and a number, each in an array of the thread's |
//! | `depot` | half magazines of objects of other threads are handed on as they are | each object goes home to its owner |
//! | `remote_queue` | an object that goes home goes to its owner's queue without a lock | under one |
//!
//! Read in slow paths only. They may change at any time; what is there stays as it was made.
use base::sync::{AtomicBool, AtomicU32, Ordering};

pub(super) const MOST: u32 = 120;

#[derive(Debug)]
pub(super) struct Switches {
    superslab: AtomicBool,
    lazy_init: AtomicBool,
    reuse_pool: AtomicBool,
    one_lookup: AtomicBool,
    depot: AtomicBool,
    remote_queue: AtomicBool,
    magazine: AtomicU32,
}

impl Switches {
    pub(super) const fn new() -> Self {
        Self {
            superslab: AtomicBool::new(true),
            lazy_init: AtomicBool::new(true),
            reuse_pool: AtomicBool::new(true),
            one_lookup: AtomicBool::new(true),
            depot: AtomicBool::new(true),
            remote_queue: AtomicBool::new(true),
            magazine: AtomicU32::new(MOST),
        }
    }

    /// Sets one. `false`: the value is none of it.
    pub(super) fn set(&self, key: &str, value: &str) -> bool {
        if key == "magazine" {
            let Some(objects) = value.parse().ok().filter(|&objects| objects <= MOST) else {
                return false;
            };
            self.magazine.store(objects, Ordering::Relaxed);
            return true;
        }
        let switch = match key {
            "superslab" => &self.superslab,
            "lazy_init" => &self.lazy_init,
            "reuse_pool" => &self.reuse_pool,
            "one_lookup" => &self.one_lookup,
            "depot" => &self.depot,
            "remote_queue" => &self.remote_queue,
            _ => return false,
        };
        let on = crate::heapwright::options::switch(value);
        on.inspect(|&on| switch.store(on, Ordering::Relaxed)).is_some()
    }

    pub(super) fn superslab(&self) -> bool {
        self.superslab.load(Ordering::Relaxed)
    }

    pub(super) fn lazy_init(&self) -> bool {
        self.lazy_init.load(Ordering::Relaxed)
    }

    pub(super) fn reuse_pool(&self) -> bool {
        self.reuse_pool.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn one_lookup(&self) -> bool {
        self.one_lookup.load(Ordering::Relaxed)
    }

    pub(super) fn depot(&self) -> bool {
        self.depot.load(Ordering::Relaxed)
    }

    pub(super) fn remote_queue(&self) -> bool {
        self.remote_queue.load(Ordering::Relaxed)
    }

    /// Objects that a magazine holds.
    #[inline(always)]
    pub(super) fn magazine(&self) -> u32 {
        self.magazine.load(Ordering::Relaxed)
    }
}
