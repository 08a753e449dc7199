//! Where blocks are, as distances from where one would look for them: most are 0.
//!
//! ```text
//! realloc     where the old block was
//! else        where the thread last freed a block of about this size, or
//!             where its last block of about this size is, or
//!             where its last block is: whichever was nearer of late for this size
//! ```
//!
//! A segment is read without those before it, so only blocks that were allocated in it are looked at.

use trace_format::varint::{unzigzag, zigzag};

use super::NEAR;
use crate::step::Block;

/// Sizes in steps of 16 bytes, and in powers of two behind them.
const SIZES: usize = 256;
/// As for [`NEAR`], but tables of sizes are larger.
const THREADS: usize = 16;
const NONE: u32 = u32::MAX;

/// A block that was allocated in this segment.
#[derive(Debug, Clone, Copy)]
struct Known {
    address: u64,
    size: u32,
    /// The block that was freed before this one, once this one is.
    before: u32,
}

/// What was freed and allocated of one size by one thread.
#[derive(Debug, Clone, Copy)]
struct OfSize {
    freed: u32,
    /// How wrong each of the three guesses was of late: digits of their errors, in 256ths.
    wrong: [u32; 3],
    last: u64,
}

/// What is known of addresses in a segment.
#[derive(Debug, Default)]
pub(super) struct Addresses {
    first_block: Block,
    known: Vec<Known>,
    sizes: Vec<OfSize>,
    last: Vec<u64>,
}

impl Addresses {
    pub(super) fn begin(&mut self, first_block: Block) {
        self.first_block = first_block;
        self.known.clear();
        self.sizes.clear();
        self.sizes.resize(THREADS * SIZES, OfSize { freed: NONE, wrong: [0; 3], last: 0 });
        self.last.clear();
        self.last.resize(NEAR, 0);
    }

    /// The distance of the next block's address.
    pub(super) fn distance(
        &mut self,
        thread: usize,
        size: u64,
        old: Option<Block>,
        address: u64,
    ) -> u64 {
        let guess = self.guess(thread, size, old);
        self.is_at(thread, size, address);
        in_sixteens(address.wrapping_sub(guess).cast_signed())
    }

    /// The address that has this [`distance`](Self::distance).
    pub(super) fn address(
        &mut self,
        thread: usize,
        size: u64,
        old: Option<Block>,
        distance: u64,
    ) -> u64 {
        let guess = self.guess(thread, size, old);
        let address = guess.wrapping_add(from_sixteens(distance).cast_unsigned());
        self.is_at(thread, size, address);
        address
    }

    pub(super) fn gone(&mut self, thread: usize, block: Block) {
        let Some((number, known)) = self.known(block) else { return };
        let of_size = &mut self.sizes[thread % THREADS * SIZES + known.size as usize];
        self.known[number as usize].before = of_size.freed;
        of_size.freed = number;
    }

    fn known(&self, block: Block) -> Option<(u32, Known)> {
        let number = u32::try_from(block.checked_sub(self.first_block)?).ok()?;
        Some((number, *self.known.get(number as usize)?))
    }

    fn guess(&self, thread: usize, size: u64, old: Option<Block>) -> u64 {
        if let Some((_, known)) = old.and_then(|old| self.known(old)) {
            return known.address;
        }
        let of_size = &self.sizes[thread % THREADS * SIZES + place(size)];
        let guesses = self.guesses(of_size, thread);
        let best = guesses.into_iter().zip(of_size.wrong).min_by_key(|&(_, wrong)| wrong);
        best.map_or(0, |(guess, _)| guess)
    }

    fn guesses(&self, of_size: &OfSize, thread: usize) -> [u64; 3] {
        let freed = self.known.get(of_size.freed as usize).map(|known| known.address);
        [freed.unwrap_or(of_size.last), of_size.last, self.last[thread]]
    }

    fn is_at(&mut self, thread: usize, size: u64, address: u64) {
        let place = place(size);
        let at = thread % THREADS * SIZES + place;
        let guesses = self.guesses(&self.sizes[at], thread);
        let of_size = &mut self.sizes[at];
        for (wrong, guess) in of_size.wrong.iter_mut().zip(guesses) {
            let digits =
                u64::BITS - zigzag(address.wrapping_sub(guess).cast_signed()).leading_zeros();
            *wrong = *wrong - *wrong / 8 + 32 * digits;
        }
        // Right or wrong, it is not the next one.
        if let Some(known) = self.known.get(of_size.freed as usize) {
            of_size.freed = known.before;
        }
        of_size.last = address;
        self.last[thread] = address;
        #[expect(clippy::cast_possible_truncation, reason = "there are 256 places")]
        self.known.push(Known { address, size: place as u32, before: NONE });
    }
}

fn place(size: u64) -> usize {
    // Sizes for which allocators that have a header of eight bytes, and those without, take different blocks.
    let sixteens = size.saturating_add(23) >> 4;
    let place = if sixteens < 192 { sixteens } else { 192 + u64::from(size.ilog2()) };
    usize::try_from(place).unwrap_or_default()
}

/// A distance of addresses, which are mostly multiples of 16: then its last bit is 0.
fn in_sixteens(distance: i64) -> u64 {
    if distance % 16 == 0 { zigzag(distance / 16) << 1 } else { zigzag(distance) << 1 | 1 }
}

fn from_sixteens(number: u64) -> i64 {
    if number & 1 == 0 { unzigzag(number >> 1).wrapping_mul(16) } else { unzigzag(number >> 1) }
}
