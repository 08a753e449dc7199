//! Adversaries: programs that need as much memory as they can for what they hold.
//!
//! ```text
//! order 0   │■│■│■│■│■│■│■│■│■│■│■│■│■│■│■│■│          M is full of the smallest blocks
//! order 1   │■│ │■│ │■│ │■│ │■│ │■│ │■│ │■│ │          half is freed, every hole too short …
//!           …                                │■■│■■│■■│■■│   … so the next order goes behind
//! ```
//!
//! Robson, "Bounds for some functions concerning dynamic storage allocation", JACM 21, 1974. What
//! the bounds of `docs/blocks.md` are attacked with: [`least_memory`] finds by
//! bisection the least memory in which an adversary is never refused.
use core::alloc::Layout;
use core::ptr::NonNull;

use base::{AddMemory, BlockAllocator};

use super::memory::Memory;
use crate::rng::Rng;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The most bytes of payload live at once.
    pub live: usize,
    pub largest: usize,
    pub smallest: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adversary {
    /// Robson's: after each order it keeps the blocks that cover one offset.
    Robson,
    /// At random, from this seed: fill with one size, keep a few blocks that stand apart, fill
    /// with another.
    Random(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    pub size: usize,
    pub live: usize,
}

#[derive(Debug, Clone, Copy)]
struct Live {
    block: NonNull<u8>,
    layout: Layout,
}

struct Play<'a, A> {
    heap: &'a mut A,
    budget: Budget,
    live: Vec<Live>,
    bytes: usize,
    /// Bytes that a block takes beyond its payload, as the adversary believes.
    header: usize,
}

impl<A: BlockAllocator> Play<'_, A> {
    /// A block, if the budget allows another.
    fn allocate(&mut self, size: usize) -> Result<bool, Refused> {
        if self.bytes + size > self.budget.live {
            return Ok(false);
        }
        let layout = Layout::from_size_align(size, 1).expect("a budget is far below the limit");
        let refused = Refused { size, live: self.bytes };
        let block = self.heap.allocate(layout).ok_or(refused)?;
        self.bytes += size;
        self.live.push(Live { block, layout });
        Ok(true)
    }

    fn fill(&mut self, size: usize) -> Result<(), Refused> {
        while self.allocate(size)? {}
        Ok(())
    }

    /// Frees what `keep` does not keep; it is asked in address order.
    fn thin(&mut self, mut keep: impl FnMut(&Live) -> bool) {
        self.live.sort_unstable_by_key(|live| live.block);
        let all = core::mem::take(&mut self.live);
        for live in all {
            if keep(&live) {
                self.live.push(live);
            } else {
                self.bytes -= live.layout.size();
                // SAFETY: live until now, with this layout.
                unsafe { self.heap.deallocate(live.block, live.layout) };
            }
        }
    }

    /// The payloads of blocks of powers of two, header included, within the budget.
    fn orders(&self) -> Vec<usize> {
        let (low, high, header) = (self.budget.smallest, self.budget.largest, self.header);
        let first = (low + header).next_power_of_two();
        let blocks = core::iter::successors(Some(first), |block| block.checked_mul(2));
        let mut sizes: Vec<usize> =
            blocks.map(|block| block - header).take_while(|&s| s <= high).collect();
        sizes.retain(|&size| size >= low);
        if sizes.last() != Some(&high) {
            sizes.push(high);
        }
        sizes
    }

    fn robson(&mut self) -> Result<(), Refused> {
        let sizes = self.orders();
        let mut offset = 0;
        self.fill(sizes[0])?;
        for pair in sizes.windows(2) {
            let (old, new) = (pair[0] + self.header, pair[1] + self.header);
            // Of the two offsets that the old one becomes, that which keeps less payload.
            let kept = |play: &Self, at: usize| -> usize {
                play.live.iter().filter(|live| covers(live, at, new, play.header)).count()
            };
            let choices = [offset, offset + old];
            offset = if kept(self, choices[1]) > kept(self, choices[0]) {
                choices[1]
            } else {
                choices[0]
            };
            let header = self.header;
            self.thin(|live| covers(live, offset, new, header));
            self.fill(pair[1])?;
        }
        Ok(())
    }

    fn random(&mut self, seed: u64) -> Result<(), Refused> {
        let mut rng = Rng::new(seed);
        let sizes = self.orders();
        for _ in 0..60 {
            let size = rng.pick(&sizes);
            self.fill(size)?;
            let apart = rng.doubling(size + self.header, 2 * (self.budget.largest + self.header));
            let mut last = 0;
            let lose = rng.between(0, 8);
            self.thin(|live| {
                let at = live.block.addr().get();
                let keep =
                    at >= last + apart || live.layout.size() < size && lose > 0 && at % 8 != lose;
                if keep {
                    last = at;
                }
                keep
            });
        }
        self.fill(self.budget.largest)
    }
}

/// Whether a block has the byte at `offset` modulo `stride`.
fn covers(live: &Live, offset: usize, stride: usize, header: usize) -> bool {
    let at = live.block.addr().get();
    let first = (offset + stride - at % stride) % stride;
    first < live.layout.size() + header
}

/// Plays on a heap that has its memory, and frees everything.
/// Errors: the first request that was refused.
pub fn play<A: BlockAllocator>(
    heap: &mut A,
    adversary: Adversary,
    budget: Budget,
    header: usize,
) -> Result<(), Refused> {
    let mut play = Play { heap, budget, live: Vec::new(), bytes: 0, header };
    let result = match adversary {
        Adversary::Robson => play.robson(),
        Adversary::Random(seed) => play.random(seed),
    };
    play.thin(|_| false);
    result
}

/// The least memory, in steps of `step` bytes up to `most`, from which on the adversary is not
/// refused; `None` when it is refused in `most` bytes.
pub fn least_memory<A: BlockAllocator + AddMemory>(
    make: fn() -> A,
    adversary: Adversary,
    budget: Budget,
    header: usize,
    most: usize,
) -> Option<usize> {
    let memory = Memory::new(most, 0);
    let enough = |len: usize| {
        let mut heap = make();
        // SAFETY: the memory outlives the heap, which is the only one on it.
        let added = unsafe { heap.add_memory(memory.start(), len) };
        added.is_ok() && play(&mut heap, adversary, budget, header).is_ok()
    };
    if !enough(most) {
        return None;
    }
    // `high` is enough, `low` is not. What is enough need not stay enough with more memory, so
    // this is a place where it changes, not the only one.
    let (mut low, mut high) = (0, most);
    while high - low > (high / 256).max(64) {
        let middle = low + (high - low) / 2;
        if enough(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// Theorem 2: what is enough for a buddy without headers whose least block is `unit` bytes, in a
/// memory that begins anywhere, two bits for each unit included.
pub fn buddy_bound(budget: Budget, unit: usize) -> usize {
    let power = |size: usize| size.max(unit).next_power_of_two();
    let (most, least) = (power(budget.largest), power(budget.smallest));
    let orders = (most / least).ilog2() as usize + 1;
    let blocks = budget.live / budget.smallest.max(1);
    // A block is less than twice its request, unless that is below the unit.
    let live = (2 * budget.live).max(blocks * least).min(blocks * most);
    let needed = (live * orders).next_multiple_of(most) + 2 * most;
    needed + needed / (3 * unit) + 256
}
