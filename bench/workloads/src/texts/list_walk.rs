//! `list-walk`: lists whose items come from a heap that others have used are walked again and again (kmalloc text: 200
//! items of 32 bytes are beside each other, of 40 bytes they are anywhere, and walking them takes longer).
//!
//! What is measured is where an allocator puts its blocks, not how fast it is: only walking is timed.

use core::ptr;

use crate::arguments::{Arguments, fixed, scaled};
use crate::block::{Block, free_all};
use crate::heap;
use crate::list::Workload;
use crate::pieces::Pieces;
use crate::results::{Results, wrong};
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "list-walk",
    parameters: &[
        fixed("lists", 250, "lists, walked in random order; each is allocated in a row"),
        fixed(
            "others",
            200_000,
            "blocks of 33 to 64 bytes; half of them, at random, are freed before",
        )
        .least(0),
        scaled("walks", 22_000, "lists that are walked, for each size"),
    ],
    run,
};

const ITEMS: usize = 200;
/// Pieces of the walks of a size; the middle one counts.
const PIECES: u64 = 64;
const SIZES: [usize; 9] = [16, 24, 32, 40, 48, 56, 64, 96, 128];
/// With more bytes than this between them, neighbours are apart: at least a line of the cache.
const NEAR: usize = 64;

struct Item {
    next: *mut Item,
    number: u64,
}

fn run(arguments: &Arguments, results: &mut Results) {
    if heap::is_null() {
        wrong("the null allocator's blocks hold no lists");
    }
    let (lists, others) = (arguments.size("lists").max(1), arguments.size("others"));
    let mut rng = Rng::new(arguments.seed);
    for size in SIZES {
        let mut used = used_heap(&mut rng, others);
        let heads: Vec<*mut Item> = (0..lists).map(|_| list(size)).collect();
        let walks = arguments.get("walks");
        let piece = walks.div_ceil(PIECES).max(1);
        let mut pieces = Pieces::new(piece, PIECES);
        let mut left = walks;
        while left > 0 {
            let start = timing::now();
            for _ in 0..piece.min(left) {
                walk(heads[rng.below(lists)]);
            }
            pieces.add(piece.min(left), timing::now() - start);
            left -= piece.min(left);
        }
        if let Some(ns) = pieces.each() {
            results.point("walk", size as f64, ns / ITEMS as f64);
        }
        let apart: usize = heads.iter().map(|head| drop_list(*head, size)).sum();
        let share = 100.0 * apart as f64 / (lists * (ITEMS - 1)) as f64;
        results.value(&format!("apart_{size}"), format_args!("{share:.1}"), "%");
        free_all(&mut used);
    }
    results.peak_live(others * 48 + lists * ITEMS * SIZES[8]);
}

/// Many blocks, between them holes in random order.
pub(super) fn used_heap(rng: &mut Rng, count: usize) -> Vec<Block> {
    let mut all: Vec<Block> =
        (0..count as u64).map(|i| Block::new(rng.between(33, 64), i)).collect();
    for left in (count / 2 + 1..=count).rev() {
        all.swap_remove(rng.below(left)).free();
    }
    all
}

/// A list, the item allocated last first.
fn list(size: usize) -> *mut Item {
    let mut head = ptr::null_mut();
    for number in 0..ITEMS as u64 {
        let item: *mut Item = heap::malloc(size).cast();
        if item.is_null() {
            wrong("no memory for a list");
        }
        // SAFETY: every size has room for an `Item`, and malloc aligns for it.
        unsafe { item.write(Item { next: head, number }) };
        head = item;
    }
    head
}

#[inline(never)]
fn walk(mut at: *mut Item) {
    let mut sum = 0;
    while !at.is_null() {
        // SAFETY: `list` linked live items, the last of them to null.
        let item = unsafe { &*at };
        sum += item.number;
        at = item.next;
    }
    let items = ITEMS as u64;
    if sum != items * (items - 1) / 2 {
        wrong("a list lost an item");
    }
}

/// Frees a list; how many of its items were not near the next one.
fn drop_list(mut at: *mut Item, size: usize) -> usize {
    let mut apart = 0;
    while !at.is_null() {
        // SAFETY: `list` linked live items.
        let next = unsafe { &*at }.next;
        apart += usize::from(!next.is_null() && at.addr().abs_diff(next.addr()) > size + NEAR);
        // SAFETY: allocated by `list`, and not used again.
        unsafe { heap::free(at.cast(), size, heap::ALIGN) };
        at = next;
    }
    apart
}
