//! What can be set: the text's own figures are the defaults, and what serves better here is a word away.
//! docs/classic-mallocs.md has them.
//!
//! Read in slow paths only. They may change at any time; what is there stays as it was made.
use base::sync::{AtomicBool, AtomicUsize, Ordering};

use super::classes::MAX_SIZE;
use super::pages::PAGE;
use crate::heapwright::options::bytes;

/// The least that a cache may hold: two of the largest objects.
const LEAST: usize = 2 * MAX_SIZE;

#[derive(Debug)]
pub(super) struct Settings {
    cache: AtomicUsize,
    caches: AtomicUsize,
    unit: AtomicUsize,
    walks_all: AtomicBool,
}

impl Settings {
    pub(super) const fn new() -> Self {
        Self {
            cache: AtomicUsize::new(2 << 20),
            caches: AtomicUsize::new(16 << 20),
            unit: AtomicUsize::new(1),
            walks_all: AtomicBool::new(true),
        }
    }

    /// Sets one. `false`: the value is none of it.
    pub(super) fn set(&self, key: &str, value: &str) -> bool {
        let (of, value) = match (key, value) {
            ("cache", _) => (&self.cache, bytes(value).filter(|&cache| cache >= LEAST)),
            ("caches", _) => (&self.caches, bytes(value).filter(|&caches| caches >= LEAST)),
            ("page", _) => {
                let units = [1, 2].into_iter().find(|unit| bytes(value) == Some(unit * PAGE));
                (&self.unit, units)
            }
            ("walk", "all" | "some") => {
                self.walks_all.store(value == "all", Ordering::Relaxed);
                return true;
            }
            _ => return false,
        };
        value.inspect(|&value| of.store(value, Ordering::Relaxed)).is_some()
    }

    /// What each of so many threads' caches may hold.
    pub(super) fn limit(&self, threads: u32) -> usize {
        let share = self.caches.load(Ordering::Relaxed) / threads.max(1) as usize;
        share.clamp(LEAST, self.cache.load(Ordering::Relaxed))
    }

    /// Pages of a block of `size` bytes.
    pub(super) fn pages_for(&self, size: usize) -> usize {
        size.max(1).div_ceil(PAGE).next_multiple_of(self.unit())
    }

    /// Pages of a row that is never cut.
    pub(super) fn unit(&self) -> usize {
        self.unit.load(Ordering::Relaxed)
    }

    pub(super) fn walks_all(&self) -> bool {
        self.walks_all.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_may_hold_less_the_more_threads_there_are() {
        let settings = Settings::new();
        let limits = [0, 1, 8, 16, 1000].map(|threads| settings.limit(threads) >> 10);
        assert_eq!(limits, [2048, 2048, 2048, 1024, 64]);
        assert!(settings.set("cache", "8m") && settings.set("caches", "128m"));
        assert_eq!([1, 16, 32].map(|threads| settings.limit(threads) >> 20), [8, 8, 4]);
    }

    #[test]
    fn what_is_no_value_changes_nothing() {
        let settings = Settings::new();
        for (key, value) in [
            ("cache", "63k"),
            ("cache", "much"),
            ("caches", ""),
            ("page", "16k"),
            ("page", "0"),
            ("page", "6000"),
            ("walk", "none"),
            ("magazine", "1"),
        ] {
            assert!(!settings.set(key, value), "{key}={value}");
        }
        assert!(settings.set("page", "8192") && settings.set("walk", "some"));
        assert_eq!((settings.limit(1), settings.unit(), settings.walks_all()), (2 << 20, 2, false));
    }
}
