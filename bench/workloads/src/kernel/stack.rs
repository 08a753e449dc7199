//! `kmem-stack`: in which order a cache hands its objects out (kmalloc text: what was freed last comes first), as each of the
//! kernel's three ways has it; and how far 20 items of kmalloc's and of a cache are apart.
//!
//! ```text
//! A   up to 6.17    a stack in the present slab; a fresh slab goes upward
//! B   since 7.0     a stack in a magazine, over slabs; a fresh magazine goes downward
//! C   distributions as A, but a fresh slab is shuffled
//! ```
//!
//! A point is a step: the object's number in its slab, or an item's distance from the one before in bytes. A value of 1 says that the
//! sequence is what it should be. Nothing is timed.

use core::ptr::NonNull;

use blocks::kernel::{PageCost, Pages, Serve, Visit};
use kernel::kmem_cache::{KmemCache, Policy, Settings};

use super::chain::Others;
use crate::arguments::{Arguments, fixed};
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "kmem-stack",
    parameters: &[
        fixed("others", 20_000, "objects of 64 bytes of others before the items").least(0)
    ],
    run,
};

const SIZE: usize = 40;
const TEN: usize = 10;
/// Objects of a slab of 4 KiB, and of a magazine.
const SLAB: usize = 102;
const ROUNDS: usize = 60;
const ITEMS: usize = 20;

fn run(arguments: &Arguments, results: &mut Results) {
    let seed = arguments.seed;
    a(results);
    b(results);
    c(results, seed);
    for (what, name) in [("kmalloc", "kmalloc"), ("cache", "kmem_cache")] {
        for size in [32, 40] {
            let items = Items {
                series: format!("distance/{what}-{size}"),
                size,
                others: arguments.size("others"),
                rng: Rng::new(seed),
                results,
            };
            if let Err(why) = super::visit(name, super::BARE, arguments.region_bytes, items) {
                wrong(why);
            }
        }
    }
    results.peak_live(arguments.size("others") * 64);
    results.refused(0);
}

struct Cache {
    cache: KmemCache<Pages>,
}

type Object = NonNull<u8>;

impl Cache {
    fn new(policy: Policy) -> Self {
        let Some(memory) = super::map(1 << 20) else { wrong("no memory for a cache") };
        // SAFETY: mapped just now, and never unmapped.
        let pages = unsafe { Pages::on(memory, PageCost::BARE) };
        let settings = Settings::new("stack", SIZE).policy(policy);
        let cache = pages.and_then(|(pages, _)| KmemCache::new(settings, pages).ok());
        let Some(cache) = cache else { wrong("a cache of 40 bytes was refused") };
        Self { cache }
    }

    fn one(&mut self) -> Object {
        let Some(object) = self.cache.allocate() else { wrong("no memory for an object") };
        object
    }

    fn take(&mut self, count: usize) -> Vec<Object> {
        (0..count).map(|_| self.one()).collect()
    }

    fn give<'a>(&mut self, objects: impl IntoIterator<Item = &'a Object>) {
        for object in objects {
            // SAFETY: live, and given once.
            unsafe { self.cache.free(*object) };
        }
    }

    fn bulk(&mut self, count: usize) -> Vec<Object> {
        let mut out = vec![None; count];
        if !self.cache.allocate_bulk(&mut out) {
            wrong("no memory for a bulk");
        }
        out.into_iter().flatten().collect()
    }

    fn give_bulk(&mut self, objects: &[Object]) {
        // SAFETY: live, and given once.
        unsafe { self.cache.free_bulk(objects) };
    }

    /// Which object of its slab each is.
    fn numbers(objects: &[Object]) -> Vec<isize> {
        let number = |object: &Object| (object.addr().get() % 4096 / SIZE).cast_signed();
        objects.iter().map(number).collect()
    }

    /// Prints a sequence, and whether it is the one that is expected.
    fn say(results: &mut Results, name: &str, found: &[Object], expected: &[Object]) {
        say(results, name, &Self::numbers(found), found == expected);
    }

    fn say_numbers(results: &mut Results, name: &str, found: &[Object], expected: &[isize]) {
        let numbers = Self::numbers(found);
        say(results, name, &numbers, numbers == expected);
    }

    /// The text's own play with ten objects: one freed, two freed, then all.
    fn play(&mut self, results: &mut Results, name: &str, ten: &[Object]) {
        self.give([&ten[4]]);
        let mut new = self.take(1);
        self.give([&ten[1], &ten[8]]);
        new.extend(self.take(2));
        let freed = [4, 8, 1].map(|i| ten[i]);
        Self::say(results, &format!("{name}/4-then-1-8"), &new, &freed);
        self.give(&new);
        let others = [0, 2, 3, 5, 6, 7, 9].map(|i| ten[i]);
        self.give(&others);
        let mut expected: Vec<Object> = freed.into_iter().chain(others).collect();
        expected.reverse();
        let all = self.take(TEN);
        Self::say(results, &format!("{name}/batch"), &all, &expected);
        self.give(&all);
    }
}

fn say(results: &mut Results, name: &str, numbers: &[isize], is_expected: bool) {
    for (step, number) in numbers.iter().enumerate() {
        results.point(name, step as f64, *number as f64);
    }
    results.value(name, u8::from(is_expected), "as-expected");
}

fn up(from: usize, to: usize) -> Vec<isize> {
    (from.cast_signed()..to.cast_signed()).collect()
}

fn down(from: usize, to: usize) -> Vec<isize> {
    up(to, from).into_iter().rev().collect()
}

fn backwards(objects: &[Object]) -> Vec<Object> {
    objects.iter().rev().copied().collect()
}

/// SLUB up to 6.17.
fn a(results: &mut Results) {
    let mut cache = Cache::new(Policy::SlabLifo);
    let ten = cache.take(TEN);
    Cache::say_numbers(results, "A/first", &ten, &up(0, TEN));
    cache.give(&ten);
    let again = cache.take(TEN + 1);
    let expected = [down(TEN, 0), up(TEN, TEN + 1)].concat();
    Cache::say_numbers(results, "A/freed-forwards", &again, &expected);
    cache.give(&again[TEN..]);
    cache.give(ten.iter().rev());
    let forwards = cache.take(TEN);
    Cache::say(results, "A/freed-backwards", &forwards, &ten);
    cache.give_bulk(&ten);
    let bulk = cache.take(TEN);
    Cache::say(results, "A/freed-in-bulk", &bulk, &ten);
    cache.give(ten.iter().rev());
    let bulk = cache.bulk(2 * TEN);
    Cache::say_numbers(results, "A/bulk", &bulk, &up(0, 2 * TEN));
    cache.give(bulk.iter().rev());
    let ten = cache.take(TEN);
    cache.play(results, "A", &ten);
}

/// SLUB 7.0.
fn b(results: &mut Results) {
    let mut cache = Cache::new(Policy::Magazine(0));
    let ten = cache.take(TEN);
    Cache::say_numbers(results, "B/first", &ten, &down(ROUNDS, ROUNDS - TEN));
    cache.give(&ten);
    let again = cache.take(TEN);
    Cache::say(results, "B/freed-forwards", &again, &backwards(&ten));
    cache.give(&again);
    let bulk = cache.bulk(TEN);
    Cache::say_numbers(results, "B/bulk", &bulk, &up(ROUNDS - TEN, ROUNDS));
    cache.give_bulk(&bulk);
    let last = cache.take(TEN);
    Cache::say(results, "B/freed-in-bulk", &last, &backwards(&bulk));
    cache.give(last.iter().rev());
    let ten = cache.take(TEN);
    cache.play(results, "B", &ten);
}

/// With a shuffled free list.
fn c(results: &mut Results, seed: u64) {
    let mut cache = Cache::new(Policy::Random(seed));
    let (one, other) = (cache.take(SLAB), cache.take(SLAB));
    let (first, second) = (Cache::numbers(&one), Cache::numbers(&other));
    let mut sorted = first.clone();
    sorted.sort_unstable();
    let is_shuffled = sorted == up(0, SLAB) && first != sorted;
    let begin = first.iter().position(|number| *number == second[0]).unwrap_or(0);
    let rotated = [&first[begin..], &first[..begin]].concat();
    say(results, "C/first-slab", &first, is_shuffled);
    say(results, "C/second-slab", &second, second == rotated);
    cache.give(&other[..TEN]);
    let again = cache.take(TEN);
    Cache::say(results, "C/freed-forwards", &again, &backwards(&other[..TEN]));
    let ten = again;
    cache.play(results, "C", &ten);
}

struct Items<'a> {
    series: String,
    size: usize,
    others: usize,
    rng: Rng,
    results: &'a mut Results,
}

impl Visit for Items<'_> {
    fn visit<A: Serve>(mut self, mut heap: A) {
        heap.begin(self.size);
        let others = Others::new(&mut heap, self.others, &mut self.rng);
        let tokens: Vec<A::Token> = (0..ITEMS).map_while(|_| heap.allocate(self.size)).collect();
        let addresses: Vec<usize> = tokens
            .iter()
            // SAFETY: a live item.
            .map(|token| unsafe { heap.address(*token) }.addr().get())
            .collect();
        for (i, pair) in addresses.windows(2).enumerate() {
            self.results.point(&self.series, (i + 1) as f64, pair[0].abs_diff(pair[1]) as f64);
        }
        for token in tokens {
            // SAFETY: live, and not used again.
            unsafe { heap.free(token) };
        }
        others.end(&mut heap);
    }
}
