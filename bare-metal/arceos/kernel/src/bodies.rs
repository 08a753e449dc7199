//! The bodies of the test. Each panics when memory is not what was written to it.

use alloc::alloc::{alloc, dealloc};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::alloc::Layout;

/// Marsaglia's xorshift: the same numbers in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end
    }
}

pub(crate) fn numbers() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    let mut numbers = Vec::new();
    for _ in 0..3_000_000 {
        numbers.push(random.next() as u32);
    }
    numbers.sort_unstable();
    assert!(numbers.is_sorted(), "numbers: sorted and yet not in order");
}

pub(crate) fn vectors() {
    let mut random = Random(0x2345_6789_ABCD_EF12);
    for (count, bytes) in [(30_000, 64), (7_500, 520)] {
        let mut live: Vec<Vec<u8>> = (0..count).map(|i| vec![i as u8; bytes]).collect();
        for (i, one) in live.iter().enumerate() {
            assert!(one.iter().all(|&byte| byte == i as u8), "vectors: number {i} has changed");
        }
        while !live.is_empty() {
            let at = random.below(live.len());
            drop(live.swap_remove(at));
        }
    }
}

pub(crate) fn map() {
    let mut random = Random(0x3456_789A_BCDE_F123);
    let mut map: BTreeMap<u64, String> = BTreeMap::new();
    for round in 0..2 {
        for _ in 0..50_000 {
            let key = random.next() >> 40;
            map.insert(key, key.to_string());
        }
        if round == 0 {
            let mut odd = false;
            map.retain(|_, _| {
                odd = !odd;
                odd
            });
        }
    }
    for (key, value) in &map {
        assert_eq!(value.parse(), Ok(*key), "map: a string has changed");
    }
}

pub(crate) fn boxes() {
    let mut random = Random(0x4567_89AB_CDEF_1234);
    let mut live: Vec<Vec<u8>> = (0..10_000).map(|_| Vec::new()).collect();
    for i in 0..100_000 {
        let at = random.below(live.len());
        let bytes = 32 + random.below(33);
        live[at] = vec![i as u8; bytes];
    }
    for one in &live {
        let same = one.iter().all(|byte| Some(byte) == one.first());
        assert!(same, "boxes: a block has changed");
    }
}

pub(crate) fn align() {
    let mut random = Random(0x5678_9ABC_DEF1_2345);
    let mut live: Vec<(*mut u8, Layout)> = Vec::new();
    for i in 0..50_000 {
        if live.len() < 200 && (live.is_empty() || random.below(2) == 0) {
            let bytes = 1 << random.below(17);
            let Ok(layout) = Layout::from_size_align(bytes, 1 << random.below(8)) else { continue };
            // SAFETY: not of size 0.
            let block = unsafe { alloc(layout) };
            assert!(!block.is_null(), "align: no {bytes} bytes");
            assert!(block.addr().is_multiple_of(layout.align()), "align: {block:p} for {layout:?}");
            // SAFETY: just allocated with this size.
            unsafe { block.write_bytes(bytes.trailing_zeros() as u8, bytes) };
            live.push((block, layout));
        } else {
            let (block, layout) = live.swap_remove(random.below(live.len()));
            let last = layout.size() - 1;
            // SAFETY: live, and as long as its layout.
            let ends = unsafe { [block.read(), block.add(last).read()] };
            let expected = layout.size().trailing_zeros() as u8;
            assert_eq!(ends, [expected; 2], "align: operation {i}: a block has changed");
            // SAFETY: allocated above with this layout.
            unsafe { dealloc(block, layout) };
        }
    }
    for (block, layout) in live {
        // SAFETY: allocated above with this layout.
        unsafe { dealloc(block, layout) };
    }
}
