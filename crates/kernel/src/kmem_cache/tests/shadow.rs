//! Random calls against a map of what is live, with contents, and the whole structure checked after each.
use super::*;
use crate::shapes::Random;
use std::collections::BTreeMap;

struct Shadow {
    cache: KmemCache<Pages>,
    size: usize,
    align: usize,
    live: BTreeMap<usize, (NonNull<u8>, u8)>,
    mark: u8,
}

impl Shadow {
    fn came(&mut self, object: NonNull<u8>) {
        let at = object.addr().get();
        assert!(at.is_multiple_of(self.align));
        let before = self.live.range(..=at).next_back().map(|(&at, _)| at);
        assert!(before.is_none_or(|before| before + self.size <= at), "apart from the one before");
        let after = self.live.range(at..).next().map(|(&at, _)| at);
        assert!(after.is_none_or(|after| at + self.size <= after), "and from the one behind");
        self.mark = self.mark.wrapping_add(1);
        // SAFETY: an object of this size.
        unsafe { object.write_bytes(self.mark, self.size) };
        self.live.insert(at, (object, self.mark));
    }

    fn goes(&mut self, random: &mut Random) -> Option<NonNull<u8>> {
        let count = self.live.len();
        let at = *self.live.keys().nth(random.below(count.max(1)))?;
        let (object, mark) = self.live.remove(&at)?;
        for offset in 0..self.size {
            // SAFETY: an object of this size.
            let at = unsafe { object.byte_add(offset) };
            // SAFETY: as above.
            assert_eq!(unsafe { at.read() }, mark);
        }
        Some(object)
    }

    fn step(&mut self, random: &mut Random, growing: bool) {
        match random.below(20) {
            0 => {
                let mut out = vec![None; random.below(90)];
                assert!(self.cache.allocate_bulk(&mut out));
                out.into_iter().for_each(|object| self.came(object.unwrap()));
            }
            1 => {
                let count = random.below(90).min(self.live.len());
                let objects: Vec<_> = (0..count).filter_map(|_| self.goes(random)).collect();
                // SAFETY: all are live.
                unsafe { self.cache.free_bulk(&objects) };
            }
            2 => {
                self.cache.shrink();
            }
            3 if !self.live.is_empty() => {
                let near = self.live.values().next().unwrap().0;
                let object = self.cache.alloc_near(near).unwrap();
                self.came(object);
            }
            choice if choice < if growing { 14 } else { 8 } => {
                let object = self.cache.allocate().unwrap();
                self.came(object);
            }
            _ => {
                if let Some(object) = self.goes(random) {
                    // SAFETY: it is live.
                    unsafe { self.cache.free(object) };
                }
            }
        }
        self.cache.check().unwrap();
        self.cache.validate().unwrap();
        assert_eq!(self.cache.info().active, self.live.len());
    }
}

fn run(settings: Settings, size: usize, align: usize, seed: u64) {
    let cache = KmemCache::new(settings, Pages::new(4096)).unwrap();
    let mut shadow = Shadow { cache, size, align, live: BTreeMap::new(), mark: 0 };
    let mut random = Random(seed);
    let rounds = if cfg!(miri) { 30 } else { 600 };
    for round in 0..rounds {
        shadow.step(&mut random, round % 200 < 120);
    }
    while let Some(object) = shadow.goes(&mut random) {
        // SAFETY: it is live.
        unsafe { shadow.cache.free(object) };
    }
    close(shadow.cache);
}

#[test]
fn all_policies_and_sizes() {
    for (number, policy) in ALL.into_iter().enumerate() {
        for (size, align) in
            [(1, 1), (24, 8), (40, 8), (96, 32), (700, 64), (4096, 4096), (5000, 8)]
        {
            let settings = Settings::new("shadow", size).align(align).policy(policy);
            run(settings, size, align, 1 + number as u64);
            run(settings, size, align, 10 + number as u64);
        }
    }
}

#[test]
fn with_checks() {
    use DebugFlags as D;
    for flags in [D::SANITY, D::RED_ZONE, D::POISON, D::USER, D::ALL] {
        for (size, align) in [(1, 1), (24, 8), (40, 64), (700, 64)] {
            let settings = Settings::new("shadow", size).align(align).debug(flags);
            run(settings, size, align, 99);
        }
    }
}
