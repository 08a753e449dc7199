//! The parts of the design, each of which can be off: the suspects of the founding text, whose superslabs made a program 5.2 %
//! slower instead of 10 to 15 % faster.
//! docs/classic-mallocs.md says what each does.
//!
//! Read in slow paths only. They may change at any time; what is there stays as it was made.
use base::sync::{AtomicBool, AtomicU32, Ordering};

pub(super) const MOST: u32 = 120;

#[derive(Debug, Clone, Copy)]
pub(super) enum Switch {
    Superslab,
    LazyInit,
    ReusePool,
    OneLookup,
    Depot,
    RemoteQueue,
}

const KEYS: [&str; 6] =
    ["superslab", "lazy_init", "reuse_pool", "one_lookup", "depot", "remote_queue"];

#[derive(Debug)]
pub(super) struct Switches {
    /// In the order of [`KEYS`] and of [`Switch`].
    on: [AtomicBool; KEYS.len()],
    magazine: AtomicU32,
}

impl Switches {
    pub(super) const fn new() -> Self {
        let on = [const { AtomicBool::new(true) }; KEYS.len()];
        Self { on, magazine: AtomicU32::new(MOST) }
    }

    /// Sets one. `false`: the value is none of it.
    pub(super) fn set(&self, key: &str, value: &str) -> bool {
        if key == "magazine" {
            let objects = value.parse().ok().filter(|&objects| objects <= MOST);
            return objects
                .inspect(|&objects| self.magazine.store(objects, Ordering::Relaxed))
                .is_some();
        }
        let Some(switch) = KEYS.iter().position(|&known| known == key) else { return false };
        let on = crate::heapwright::options::switch(value);
        on.inspect(|&on| self.on[switch].store(on, Ordering::Relaxed)).is_some()
    }

    #[inline]
    pub(super) fn is_on(&self, switch: Switch) -> bool {
        self.on[switch as usize].load(Ordering::Relaxed)
    }

    /// Objects that a magazine holds.
    #[inline(always)]
    pub(super) fn magazine(&self) -> u32 {
        self.magazine.load(Ordering::Relaxed)
    }
}
