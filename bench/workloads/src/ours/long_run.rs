//! Hours compressed into seconds: a server's cache whose values drift in size, with lifetimes without a typical length, and
//! some that never end. Fragmentation needs time, and this is what brings it about: what lives long lies between what
//! lived short, and the holes have the sizes of yesterday.
//!
//! Every step is a request: it expires what is due and allocates one block, of one of three kinds:
//!
//! | share     | lifetime in steps                                               | bytes                                     |
//! |-----------|-----------------------------------------------------------------|-------------------------------------------|
//! | 60 %      | 1 … 1000: the request's own                                     | 32 … 512                                  |
//! | 40 %      | 32 … 64 Ki, doubled while a coin shows heads, at most 7 times   | around a size that drifts from 64 to 2 Ki |
//! | 1 in 1024 | to the end                                                      | as cached                                 |
//!
//! A cached block of other than 256 bytes lives longer or shorter by the root of its size: a cache is bounded by its bytes.
//!
//! Blocks that expire together are linked through their own first words, so that no table's memory is beside them. A
//! wheel has a place for each of the next 1024 steps, another one for each of the next 32 Ki times 1024 steps; what the
//! second holds for now expires at once, as caches do.

use core::ptr;

use super::sampled::Looks;
use crate::arguments::{Arguments, fixed, scaled};
use crate::check::{mark, verify};
use crate::heap;
use crate::list::Workload;
use crate::results::{Results, wrong};
use crate::rng::Rng;
use crate::sizes::doublings;

/// Steps the fine wheel sees ahead, and how many are one of the coarse wheel's.
const FINE: usize = 1024;
/// Places of the coarse wheel: more than the longest lifetime.
const COARSE: usize = 32_768;
/// Doublings of a cached block's lifetime.
const DOUBLINGS: u32 = 7;
/// The shortest of a block of 256 bytes.
const CACHED: usize = 32 << 10;
const SMALLEST: usize = 45;
const _: () = assert!(
    (CACHED << DOUBLINGS) * 2 * 16 / SMALLEST.isqrt() <= FINE * COARSE,
    "seen by the coarse wheel"
);

pub(crate) const WORKLOAD: Workload = Workload {
    name: "long-run",
    parameters: &[
        scaled("steps", 27_000_000, "blocks allocated"),
        scaled("drift", 9_000_000, "steps in which the sizes drift there and back"),
        fixed("looks", 200, "times that live and resident bytes are looked at"),
    ],
    run,
};

/// The first words of a block; its mark is in the rest.
#[derive(Debug)]
#[repr(C)]
struct Entry {
    next: *mut Entry,
    size: u32,
    key: u32,
}

const HEAD: usize = size_of::<Entry>();

struct Cache {
    fine: Vec<*mut Entry>,
    coarse: Vec<*mut Entry>,
    immortal: *mut Entry,
    live: usize,
    blocks: u64,
    freed: u64,
}

impl Cache {
    fn new() -> Self {
        Self {
            fine: vec![ptr::null_mut(); FINE],
            coarse: vec![ptr::null_mut(); COARSE],
            immortal: ptr::null_mut(),
            live: 0,
            blocks: 0,
            freed: 0,
        }
    }

    /// A block that expires `lifetime` steps after `step`, or never.
    #[inline(always)]
    fn insert(&mut self, step: usize, lifetime: Option<usize>, size: u32, key: u32) {
        let place = match lifetime {
            None => &mut self.immortal,
            Some(steps) if steps < FINE => &mut self.fine[(step + steps) % FINE],
            Some(steps) => &mut self.coarse[(step + steps) / FINE % COARSE],
        };
        let block = heap::malloc(size as usize);
        if block.is_null() {
            return;
        }
        let entry = block.cast::<Entry>();
        // SAFETY: every size has room for the head, and malloc's blocks are aligned for it.
        unsafe { entry.write(Entry { next: *place, size, key }) };
        *place = entry;
        // SAFETY: the head is in the block.
        let body = unsafe { block.add(HEAD) };
        // SAFETY: `size` counts the head and what follows it.
        unsafe { mark(body, size as usize - HEAD, u64::from(key)) };
        self.live += size as usize;
        self.blocks += 1;
    }

    #[inline(always)]
    fn expire(&mut self, step: usize) {
        let due = core::mem::replace(&mut self.fine[step % FINE], ptr::null_mut());
        self.free_all(due);
        if step.is_multiple_of(FINE) {
            let due = core::mem::replace(&mut self.coarse[step / FINE % COARSE], ptr::null_mut());
            self.free_all(due);
        }
    }

    fn free_all(&mut self, mut entry: *mut Entry) {
        while !entry.is_null() {
            let block = entry.cast::<u8>();
            // SAFETY: `insert` linked live blocks only, and wrote their heads.
            let Entry { next, size, key } = unsafe { entry.read() };
            // SAFETY: the head is in the block.
            let body = unsafe { block.add(HEAD) };
            // SAFETY: `insert` marked all but the head, unless `size` was overwritten: then this is what finds out.
            unsafe { verify(body, (size as usize).saturating_sub(HEAD), u64::from(key)) };
            // SAFETY: live, and in no list any more.
            unsafe { heap::free(block, size as usize, heap::ALIGN) };
            self.live -= size as usize;
            self.freed += 1;
            entry = next;
        }
    }
}

fn run(arguments: &Arguments, results: &mut Results) {
    if heap::is_null() {
        // What is linked through the blocks cannot be without them.
        wrong("long-run needs an allocator that keeps data");
    }
    let steps = arguments.size("steps");
    let drift = arguments.size("drift").max(2);
    let most = arguments.size("looks").clamp(1, 100_000);
    let mut rng = Rng::new(arguments.seed);
    let mut looks = Looks::new(most);
    let mut cache = Cache::new();
    let every = steps.div_ceil(most).max(1);
    let start = timing::now();
    for step in 0..steps {
        cache.expire(step);
        let choice = rng.next();
        let key = (choice >> 32) as u32;
        if choice & 0x3ff == 0 {
            let size = drifting(&mut rng, step, drift);
            cache.insert(step, None, size, key);
        } else if (choice >> 12) & 0xff < 154 {
            let lifetime = rng.between(1, FINE - 24);
            let size = u32::try_from(doublings(&mut rng, 5, 9)).unwrap_or(u32::MAX);
            cache.insert(step, Some(lifetime), size, key);
        } else {
            let bits = rng.next();
            // As many as a coin shows heads.
            let doublings = (bits | 1 << DOUBLINGS).trailing_zeros();
            let base = CACHED << doublings;
            let lifetime = base + (bits >> 32) as usize % base;
            let size = drifting(&mut rng, step, drift);
            let lifetime = lifetime * 16 / size.isqrt() as usize;
            cache.insert(step, Some(lifetime), size, key);
        }
        if step % every == every - 1 {
            looks.look(cache.live);
        }
    }
    let ns = timing::now() - start;
    let calls = cache.blocks + cache.freed;
    end(&mut cache);
    results.work(calls, ns);
    results.peak_live(looks.peak_live());
    let (mean, worst, last) = looks.resident_over_live();
    results.value("rss_over_live_mean", format_args!("{mean:.4}"), "x");
    results.value("rss_over_live_worst", format_args!("{worst:.4}"), "x");
    results.value("rss_over_live_end", format_args!("{last:.4}"), "x");
    looks.print(results);
}

/// Within a factor of two of a size that goes from 64 to 2048 and back, by doublings evenly.
fn drifting(rng: &mut Rng, step: usize, drift: usize) -> u32 {
    let at = step % drift * 2;
    let up = if at < drift { at } else { 2 * drift - at };
    // From 0 to 5 doublings in 1024ths, half a doubling to either side.
    let doublings = up * 5 * 1024 / drift + rng.below(1024);
    let (whole, part) = (doublings / 1024, doublings % 1024);
    let size = (SMALLEST << whole) + (((SMALLEST << whole) * part) >> 10);
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// Frees all that is left, verified; nothing may be missing.
fn end(cache: &mut Cache) {
    for place in 0..FINE {
        cache.expire(place + FINE);
    }
    for place in 0..COARSE {
        cache.expire(place * FINE);
    }
    let immortal = core::mem::replace(&mut cache.immortal, ptr::null_mut());
    cache.free_all(immortal);
    if cache.live != 0 || cache.freed != cache.blocks {
        wrong(format_args!("{} bytes of {} blocks are missing", cache.live, cache.blocks));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_drift_there_and_back() {
        let mut rng = Rng::new(1);
        let mut mean = |step| (0..1000).map(|_| drifting(&mut rng, step, 1000)).sum::<u32>() / 1000;
        let [low, middle, high, back] = [0, 250, 500, 750].map(&mut mean);
        assert!((60..75).contains(&low), "{low}");
        assert!((1900..2300).contains(&high), "{high}");
        assert!(low * 4 < middle && middle * 4 < high && high > back * 4, "{middle} {back}");
    }

    #[test]
    fn a_block_expires_when_it_is_due() {
        let mut cache = Cache::new();
        cache.insert(10, Some(5), 100, 1);
        cache.insert(10, Some(5000), 200, 2);
        cache.insert(10, None, 300, 3);
        for (step, live) in [(14, 600), (15, 500), (4 * FINE, 300)] {
            cache.expire(step);
            assert_eq!(cache.live, live, "{step}");
        }
        end(&mut cache);
    }
}
