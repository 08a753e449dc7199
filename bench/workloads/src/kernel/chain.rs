//! `chain`: 200 items in one chain of a hash table are walked, as a packet that is looked for walks them (kmalloc text: items of 32
//! bytes lie beside each other, of 40 bytes they share the kernel's cache of 64 bytes with everybody else, and a fifth is lost).
//!
//! ```text
//! kmalloc       items and seven other users' objects of 64 bytes come from the same caches
//! kmem_cache    items have a cache of their own, the others are malloc's
//! malloc        all are the process's
//! ```
//!
//! Half of the others are freed at random before; then each item is allocated after one more of each of the seven. Only walking is
//! timed. Between two walks as much memory is read as a first-level cache has, as the rest of a packet's way does. `chains` is
//! another workload: items that cross threads.

use core::ptr::{self, NonNull};
use std::collections::BTreeSet;

use blocks::kernel::{Serve, Visit};

use crate::arguments::{Arguments, fixed, scaled};
use crate::heap;
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;
use timing::{overhead, ticks, ticks_per_second};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "chain",
    parameters: &[
        fixed(
            "others",
            40_000,
            "objects of 64 bytes of the others, half of which are freed before",
        )
        .least(0),
        fixed("chains", 8, "chains, one after the other; each is walked by itself"),
        fixed("between", 48, "KiB that are read between two walks").least(0),
        scaled("walks", 8000, "walks for each size and way"),
    ],
    run,
};

const ITEMS: usize = 200;
const SIZES: [usize; 6] = [24, 32, 40, 48, 56, 64];
/// Bytes of the others' objects, and how many others there are.
const OTHER: usize = 64;
const STREAMS: usize = 7;
/// Bytes of a line of the cache, and of a page.
const LINE: usize = 64;
const PAGE: usize = 4096;

/// The beginning of every item: what is walked, and what is looked for.
#[repr(C)]
struct Item {
    next: *mut Item,
    before: *mut Item,
    number: u64,
}

fn run(arguments: &Arguments, results: &mut Results) {
    if arguments.allocator == "null" {
        wrong("the null allocator's objects hold no chains");
    }
    let chain = Chain {
        rng: Rng::new(arguments.seed),
        others: arguments.size("others"),
        chains: arguments.size("chains").max(1),
        between: vec![1; (arguments.size("between") << 10) / size_of::<u64>()],
        walks: arguments.get("walks"),
        results,
    };
    if let Err(why) = super::visit(&arguments.allocator, super::BARE, arguments.region_bytes, chain)
    {
        wrong(why);
    }
}

struct Chain<'a> {
    rng: Rng,
    others: usize,
    chains: usize,
    between: Vec<u64>,
    walks: u64,
    results: &'a mut Results,
}

impl Visit for Chain<'_> {
    fn visit<A: Serve>(mut self, mut heap: A) {
        let overhead = overhead();
        let ns_per_tick = 1e9 / ticks_per_second();
        for size in SIZES {
            heap.begin(size);
            let mut others = Others::new(&mut heap, self.others, &mut self.rng);
            let mut seen = Seen::default();
            for _ in 0..self.chains {
                let mut tokens = Vec::new();
                for _ in 0..ITEMS {
                    others.grow(&mut heap);
                    let Some(token) = heap.allocate(size) else { wrong("no memory for an item") };
                    tokens.push(token);
                }
                let mut items: Vec<*mut Item> = tokens
                    .iter()
                    // SAFETY: a live item.
                    .map(|token| unsafe { heap.address(*token) }.as_ptr().cast())
                    .collect();
                seen.lie(&items);
                let walks = (self.walks / self.chains as u64).max(1);
                let timed = |items: &[*mut Item], between: &[u64]| -> f64 {
                    let head = link(items);
                    let one = |_| {
                        read(between);
                        let since = ticks();
                        walk(head);
                        (ticks() - since).saturating_sub(overhead) as f64
                    };
                    // Of walks, each a microsecond, some are interrupted.
                    median((0..walks).map(one).collect()) * ns_per_tick / ITEMS as f64
                };
                seen.walk.push(timed(&items, &self.between));
                seen.hot.push(timed(&items, &[]));
                for left in (2..=ITEMS).rev() {
                    items.swap(left - 1, self.rng.below(left));
                }
                seen.shuffled.push(timed(&items, &self.between));
                for token in tokens {
                    // SAFETY: a live item, not used again.
                    unsafe { heap.free(token) };
                }
            }
            others.end(&mut heap);
            seen.say(size, self.results);
        }
        self.results.peak_live(self.others * OTHER + ITEMS * SIZES[5]);
        self.results.refused(0);
    }
}

#[derive(Default)]
struct Seen {
    walk: Vec<f64>,
    hot: Vec<f64>,
    shuffled: Vec<f64>,
    lines: Vec<f64>,
    pages: Vec<f64>,
}

impl Seen {
    /// Lines and pages that a walk touches.
    fn lie(&mut self, items: &[*mut Item]) {
        let touched = |unit: usize| -> f64 {
            let of = |item: &*mut Item| {
                let at = item.addr();
                at / unit..=(at + size_of::<Item>() - 1) / unit
            };
            items.iter().flat_map(of).collect::<BTreeSet<usize>>().len() as f64
        };
        self.lines.push(touched(LINE));
        self.pages.push(touched(PAGE));
    }

    fn say(self, size: usize, results: &mut Results) {
        for (name, all) in [
            ("walk", self.walk),
            ("hot", self.hot),
            ("shuffled", self.shuffled),
            ("lines", self.lines),
            ("pages", self.pages),
        ] {
            results.point(name, size as f64, median(all));
        }
    }
}

pub(super) fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Links the items in this order; the first.
fn link(items: &[*mut Item]) -> *mut Item {
    let mut before = ptr::null_mut();
    for (number, &item) in items.iter().enumerate() {
        let next = items.get(number + 1).copied().unwrap_or(ptr::null_mut());
        // SAFETY: a live object with room for an item, at a multiple of 8.
        unsafe { item.write(Item { next, before, number: number as u64 }) };
        before = item;
    }
    items.first().copied().unwrap_or(ptr::null_mut())
}

/// Looks at every item's number, and checks their sum.
#[inline(never)]
fn walk(mut at: *mut Item) {
    let mut sum = 0;
    while !at.is_null() {
        // SAFETY: `link` linked live items, the last of them to null.
        let item = unsafe { &*at };
        sum += item.number;
        at = item.next;
    }
    let items = ITEMS as u64;
    if sum != items * (items - 1) / 2 {
        wrong("a chain lost an item");
    }
}

/// Reads a line after the other.
#[inline(never)]
fn read(bytes: &[u64]) {
    let sum: u64 = bytes.iter().step_by(LINE / size_of::<u64>()).sum();
    core::hint::black_box(sum);
}

/// The objects of seven other users: of the same allocator, or of the process's.
pub(super) struct Others<T> {
    shared: Vec<T>,
    own: Vec<*mut u8>,
}

impl<T: Copy> Others<T> {
    /// `count` of them, half of which are freed at random again.
    pub(super) fn new<A: Serve<Token = T>>(heap: &mut A, count: usize, rng: &mut Rng) -> Self {
        let mut all = Self { shared: Vec::new(), own: Vec::new() };
        for _ in 0..count.div_ceil(STREAMS) {
            all.grow(heap);
        }
        let left = all.shared.len() / 2;
        while all.shared.len() > left {
            let token = all.shared.swap_remove(rng.below(all.shared.len()));
            // SAFETY: live, and not used again.
            unsafe { heap.free(token) };
        }
        let left = all.own.len() / 2;
        while all.own.len() > left {
            let block = all.own.swap_remove(rng.below(all.own.len()));
            // SAFETY: live, and not used again.
            unsafe { heap::free(block, OTHER, heap::ALIGN) };
        }
        all
    }

    pub(super) fn grow<A: Serve<Token = T>>(&mut self, heap: &mut A) {
        for _ in 0..STREAMS {
            if !A::IS_SHARED {
                self.own.push(heap::malloc(OTHER));
                continue;
            }
            let Some(token) = heap.allocate(OTHER) else { wrong("no memory for others") };
            self.shared.push(token);
            // SAFETY: live.
            let at: NonNull<u8> = unsafe { heap.address(token) };
            // SAFETY: it has 64 bytes.
            unsafe { at.write_bytes(1, OTHER) };
        }
    }

    pub(super) fn end<A: Serve<Token = T>>(self, heap: &mut A) {
        for token in self.shared {
            // SAFETY: live, and not used again.
            unsafe { heap.free(token) };
        }
        for block in self.own {
            // SAFETY: as above.
            unsafe { heap::free(block, OTHER, heap::ALIGN) };
        }
    }
}
