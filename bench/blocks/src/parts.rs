//! What is measured, a part each: what it says of one allocator in one round, and which columns of the page that becomes.
use core::alloc::Layout;
use core::ptr::NonNull;
use core::time::Duration;
use std::time::Instant;

use base::{AddMemory, BlockAllocator};
use block::tlsf::{Bound, required_heap};
use heapwright_blocks::subjects::{
    self, ARENA, BUDDY, BUDDY_SYSTEM, LINKED_LIST, NAMES, RLSF, SHARDED, SLAB, TALC, TIERS, TLSF,
    Visit,
};
use testkit::block::Memory;
use testkit::block::robson::{Adversary, Budget, buddy_bound, least_memory};
use testkit::rng::Rng;

use crate::churn::{Churn, on, stream};
use crate::samples::{Column, Samples};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Time of a free and an allocation, mean and tail
    Pairs,
    /// The same with 100 to 1,000,000 live blocks, spread and hot
    Live,
    /// One hole and a thousand
    Holes,
    /// How much of a memory becomes payload
    Fill,
    /// What adversaries wring out of each
    Worst,
    /// The form that grows, and the tiers of hardening, against plain TLSF
    Arena,
}

/// One allocator's share of a round, at the most, for each pass.
const MOST: Duration = Duration::from_millis(400);

const LIVE: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

const HOLES: [&str; 3] = ["same", "larger", "between"];

/// Sizes and alignments that memories are filled with.
const FILLS: [(usize, usize, usize); 4] =
    [(1, 256, 16), (1, 256, 8), (16, 4096, 16), (16, 4096, 8)];

/// What adversaries may have live, and their smallest and largest requests; the most memory that is tried.
const BUDGET: usize = 64 << 10;
const SMALLEST: usize = 24;
const LARGEST: [usize; 3] = [120, 1_016, 8_184];
const MEMORY: usize = 4 << 20;

const KINDS: [(&str, usize, (usize, usize)); 3] =
    [("small", 1_000, (16, 256)), ("mixed", 5_000, (16, 4_096)), ("large", 200, (4_096, 65_536))];

const ARENAS: [&str; 4] = [TLSF, ARENA, TIERS[0], TIERS[1]];

impl Part {
    pub(crate) const ALL: [Self; 6] =
        [Self::Pairs, Self::Live, Self::Holes, Self::Fill, Self::Worst, Self::Arena];

    pub(crate) const fn names(self) -> &'static [&'static str] {
        if let Self::Arena = self { &ARENAS } else { &NAMES }
    }

    pub(crate) const fn says(self) -> &'static str {
        match self {
            Self::Pairs => {
                "### A free and an allocation\n\n64 MiB, 16 to 4,096 bytes, 5,000 live blocks, one of them at random replaced by \
                 another of random size."
            }
            Self::Live => {
                "### From 100 to 1,000,000 live blocks\n\nNanoseconds for a pair of 16 to 256 bytes in 384 MiB. Hot: 100 of the live \
                 blocks are replaced, the rest stays. Spread: any of them is replaced, and the caches miss. A list that is walked is \
                 not taken beyond 10,000."
            }
            Self::Holes => {
                "### One hole and a thousand\n\nHoles of 64 bytes between blocks in use; nanoseconds for a free and an allocation of \
                 the same size behind all holes, of twice the size, and of a block between two holes."
            }
            Self::Fill => {
                "### How full a memory gets\n\nPayload in per cent of 4 MiB when the first request is refused, any size as likely. \
                 Control blocks outside the memory are not counted."
            }
            Self::Worst => {
                "### Under attack\n\nThe memory in which an adversary with 64 KiB of payload, in requests of 24 bytes and more, is \
                 not refused, in multiples of 64 KiB: Robson's adversary, the worst of 8 random ones, and what is proved to be \
                 enough for any (`docs/blocks.md`). 64 stands for 4 MiB or more."
            }
            Self::Arena => {
                "### Fixed and growing\n\nNanoseconds for a pair, and in brackets the ratio to plain TLSF. TLSF on 64 MiB that it was \
                 given at once; as an arena that asks for 64 KiB at a time and gives the end back; and fixed, with the tiers that \
                 look at neighbours, and that keep sums in headers. Small: 1,000 blocks of 16 to 256 bytes; mixed: 5,000 to 4,096 \
                 bytes; large: 200 of 4 to 64 KiB. Replaced at random; and waves: all of them allocated, then freed."
            }
        }
    }

    pub(crate) fn columns(self) -> Vec<Column> {
        let column = |says: String, key: String, digits| Column { says, key, digits, over: &[] };
        match self {
            Self::Pairs => [
                ("a pair, ns", "mean", false),
                ("÷ faster of rlsf, talc", "mean", true),
                ("one call, median ns", "p50", false),
                ("one call, 99.9 %, ns", "p999", false),
                ("÷ lower of rlsf, talc", "p999", true),
            ]
            .map(|(says, key, is_ratio)| Column {
                says: says.to_owned(),
                key: key.to_owned(),
                digits: if is_ratio { 2 } else { 1 },
                over: if is_ratio { &[RLSF, TALC] } else { &[] },
            })
            .into(),
            Self::Live => ["hot", "spread"]
                .into_iter()
                .flat_map(|kind| {
                    let of = LIVE
                        .map(|live| column(format!("{kind}, {live}"), format!("{kind} {live}"), 1));
                    let grown = column("most ÷ at 100".to_owned(), format!("{kind} grown"), 2);
                    of.into_iter().chain([grown])
                })
                .collect(),
            Self::Holes => HOLES
                .into_iter()
                .flat_map(|kind| {
                    [1, 1_000].map(|n| column(format!("{kind}, {n}"), format!("{kind} {n}"), 1))
                })
                .chain([column("worst ratio".to_owned(), "grown".to_owned(), 2)])
                .collect(),
            Self::Fill => FILLS
                .map(|(low, high, align)| {
                    let says = format!("{low} to {high} bytes, aligned to {align}");
                    column(says, fill_key(low, high, align), 1)
                })
                .into(),
            Self::Worst => LARGEST
                .into_iter()
                .flat_map(|most| {
                    ["robson", "random", "proved"].map(|kind| {
                        column(format!("to {most}: {kind}"), format!("{kind} {most}"), 2)
                    })
                })
                .collect(),
            Self::Arena => KINDS
                .into_iter()
                .flat_map(|(kind, ..)| [kind.to_owned(), format!("{kind}, waves")])
                .map(|key| Column { says: key.clone(), key, digits: 1, over: &[TLSF] })
                .collect(),
        }
    }

    /// Measures every allocator in turn, in another order each round.
    pub(crate) fn measure(self, quick: bool, rounds: usize, samples: &mut Samples) {
        let (memory, rounds) = match self {
            Self::Pairs | Self::Arena => (64 << 20, rounds),
            Self::Live => (384 << 20, rounds.div_ceil(2)),
            Self::Holes => (4 << 20, rounds),
            // Nothing is timed: a few seeds are enough, and none where nothing is random.
            Self::Fill => (4 << 20, rounds.min(5)),
            Self::Worst => (4096, 1),
        };
        let memory = Memory::new(memory, 0);
        for round in 0..rounds {
            let visit = &mut Round { part: self, quick, round, memory: &memory, samples };
            if self == Self::Arena {
                let mut order = ARENAS;
                order.rotate_left(round % ARENAS.len());
                order.into_iter().for_each(|name| subjects::one(name, visit));
            } else {
                subjects::each(round, visit);
            }
        }
    }
}

pub(crate) fn fill_key(low: usize, high: usize, align: usize) -> String {
    format!("{low} {high} at {align}")
}

struct Round<'a> {
    part: Part,
    quick: bool,
    round: usize,
    memory: &'a Memory,
    samples: &'a mut Samples,
}

impl Visit for Round<'_> {
    fn visit<A: BlockAllocator + AddMemory + 'static>(
        &mut self,
        name: &'static str,
        make: fn() -> A,
    ) {
        let found = match self.part {
            Part::Pairs => self.pairs(make),
            Part::Live => self.live(name, make),
            Part::Holes => self.holes(make),
            Part::Fill => self.fill(make),
            Part::Worst => worst(name, make),
            Part::Arena => self.arena(make),
        };
        for (key, value) in found {
            self.samples.put(self.round, self.part, name, key, value);
        }
    }
}

impl Round<'_> {
    /// `full`, or a part of it in a quick run.
    const fn of(&self, full: usize) -> usize {
        if self.quick { full / 20 } else { full }
    }

    fn pairs<A: BlockAllocator + AddMemory>(&self, make: fn() -> A) -> Vec<(String, f64)> {
        let ops = stream(self.round as u64, self.of(1_000_000), 5_000, (16, 4_096));
        let mut churn = Churn::new(make, self.memory, 5_000, &ops);
        let (warm, timed) = ops.split_at(ops.len() / 5);
        churn.mean(warm, MOST / 2);
        let mean = churn.mean(timed, MOST);
        let each = churn.each(timed, MOST);
        let (p50, p999) = (each[each.len() / 2], each[each.len() / 1000 * 999]);
        [("mean", mean), ("p50", p50), ("p999", p999)].map(|(key, ns)| (key.to_owned(), ns)).into()
    }

    /// *Spread*: any live block is replaced, so with many of them each call finds its headers and bins in memory instead of in a
    /// cache; no design escapes that. *Hot*: after the same churn, only 100 of the live blocks are replaced, so what is left is
    /// the price of the structure.
    fn live<A: BlockAllocator + AddMemory>(
        &self,
        name: &str,
        make: fn() -> A,
    ) -> Vec<(String, f64)> {
        // A list that is walked would take minutes to get there.
        let most = if self.quick || name == LINKED_LIST { 10_000 } else { usize::MAX };
        let mut found = Vec::new();
        let mut grown = [[f64::NAN, 0.0]; 2];
        for live in LIVE.into_iter().filter(|live| *live <= most) {
            let seed = self.round as u64 * 10;
            let ops = |more, ops, slots| stream(seed + more, ops, slots, (16, 256));
            let (first, spread) = (ops(0, live, live), ops(1, self.of(400_000).max(live), live));
            let hot = ops(2, self.of(400_000), 100.min(live));
            let mut churn = Churn::new(make, self.memory, live, &first);
            churn.mean(&spread, MOST * 3 / 2);
            let spread = churn.mean(&spread, MOST / 2);
            churn.mean(&hot[..hot.len() / 10], MOST / 2);
            let hot = churn.mean(&hot, MOST / 2);
            for ((kind, ns), grown) in
                [("hot", hot), ("spread", spread)].into_iter().zip(&mut grown)
            {
                found.push((format!("{kind} {live}"), ns));
                *grown = [if grown[0].is_nan() { ns } else { grown[0] }, grown[1].max(ns)];
            }
        }
        let grown = ["hot", "spread"].into_iter().zip(grown);
        found.extend(grown.map(|(kind, [first, most])| (format!("{kind} grown"), most / first)));
        found
    }

    /// ```text
    /// │used│hole│used│hole│ … │used│hole│used│ wall │ free …
    /// ```
    ///
    /// A pair of the holes' own size at the far end, where a list has to be walked to free; of twice that, which no hole has; and
    /// between two holes, which closes both.
    fn holes<A: BlockAllocator + AddMemory>(&self, make: fn() -> A) -> Vec<(String, f64)> {
        let [small, large] = [64, 128].map(|size| Layout::from_size_align(size, 8).expect("small"));
        let pairs = self.of(20_000);
        let time = |heap: &mut A, mut block: NonNull<u8>, layout: Layout| {
            let start = Instant::now();
            for _ in 0..pairs {
                // SAFETY: live until now.
                unsafe { heap.deallocate(block, layout) };
                block = heap.allocate(layout).expect("it was there before");
            }
            start.elapsed().as_secs_f64() * 1e9 / pairs as f64
        };
        let beside = |holes: usize| {
            let mut heap = on(make, self.memory);
            let row: Vec<NonNull<u8>> =
                (0..2 * holes + 3).map(|_| heap.allocate(small).expect("there is room")).collect();
            for hole in 0..holes {
                // SAFETY: live until now.
                unsafe { heap.deallocate(row[2 * hole + 1], small) };
            }
            let wide = heap.allocate(large).expect("there is room");
            let larger = time(&mut heap, wide, large);
            let same = time(&mut heap, row[2 * holes + 2], small);
            [same, larger, time(&mut heap, row[2 * (holes / 2)], small)]
        };
        let [one, thousand] = [1, 1_000].map(beside);
        let all = HOLES.into_iter().zip(one.into_iter().zip(thousand));
        let grown = all.clone().map(|(_, (one, thousand))| thousand / one).fold(0.0, f64::max);
        all.flat_map(|(kind, (one, thousand))| {
            [(format!("{kind} 1"), one), (format!("{kind} 1000"), thousand)]
        })
        .chain([("grown".to_owned(), grown)])
        .collect()
    }

    fn fill<A: BlockAllocator + AddMemory>(&self, make: fn() -> A) -> Vec<(String, f64)> {
        let full = |(low, high, align)| {
            let mut heap = on(make, self.memory);
            let mut rng = Rng::new(100 + self.round as u64);
            let mut payload = 0;
            loop {
                let size = rng.between(low, high);
                let layout = Layout::from_size_align(size, align).expect("a power of two");
                if heap.allocate(layout).is_none() {
                    break;
                }
                payload += size;
            }
            (fill_key(low, high, align), 100.0 * payload as f64 / self.memory.len() as f64)
        };
        FILLS.map(full).into()
    }

    fn arena<A: BlockAllocator + AddMemory>(&self, make: fn() -> A) -> Vec<(String, f64)> {
        let mut found = Vec::new();
        for (kind, live, sizes) in KINDS {
            let ops = stream(500 + self.round as u64, self.of(400_000).max(live), live, sizes);
            let mut churn = Churn::new(make, self.memory, live, &ops);
            churn.mean(&ops[..ops.len() / 5], MOST / 2);
            found.push((kind.to_owned(), churn.mean(&ops, MOST / 2)));
            let start = Instant::now();
            for _ in 0..20 {
                Churn::new(make, self.memory, live, &ops).drain();
            }
            let waves = start.elapsed().as_secs_f64() * 1e9 / (20 * live) as f64;
            found.push((format!("{kind}, waves"), waves));
        }
        found
    }
}

fn worst<A: BlockAllocator + AddMemory>(name: &str, make: fn() -> A) -> Vec<(String, f64)> {
    // What the adversary takes a block's header to be: it aims at powers of two.
    let header =
        if [BUDDY, SLAB, SHARDED, BUDDY_SYSTEM, LINKED_LIST].contains(&name) { 0 } else { 8 };
    let mut found = Vec::new();
    for largest in LARGEST {
        let budget = Budget { live: BUDGET, largest, smallest: SMALLEST };
        let least = |adversary| {
            least_memory(make, adversary, budget, header, MEMORY).unwrap_or(MEMORY) as f64
        };
        let random = (0..8).map(Adversary::Random).map(least).fold(0.0, f64::max);
        let proved = match name {
            TLSF => Some(required_heap(Bound::Tlsf, BUDGET, largest, SMALLEST)),
            "half-fit" => Some(required_heap(Bound::HalfFit, BUDGET, largest, SMALLEST)),
            BUDDY => Some(buddy_bound(budget, 16)),
            _ => None,
        };
        let proved = proved.map(|bytes| ("proved", bytes as f64));
        let all =
            [("robson", least(Adversary::Robson)), ("random", random)].into_iter().chain(proved);
        found.extend(all.map(|(kind, bytes)| (format!("{kind} {largest}"), bytes / BUDGET as f64)));
    }
    found
}
