//! Which allocations are in the sample: those in which a point falls, where points lie at random among the bytes that a thread
//! allocates.
//!
//! ```text
//! bytes   ──24──┼──100──┼────────5000────────┼─24─┼
//! points                        ×   ×                        gaps are exponential, so a block of `size` bytes is in the sample
//!                                                            with the probability 1 - exp(-size / interval), whatever came before
//! ```

use core::cell::Cell;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Where a thread's next point is. Zeros at first.
#[repr(C)]
pub(crate) struct Points {
    /// Bytes until the next one.
    until: Cell<i64>,
    random: Cell<u64>,
    /// The mean of the gaps that it was drawn of.
    interval: Cell<u64>,
    /// Of which recording they are, where only samples are recorded.
    session: Cell<u32>,
}

/// Where it stands.
pub(super) const UNTIL: usize = core::mem::offset_of!(Points, until);

/// The mean of the gaps.
static INTERVAL: AtomicU64 = AtomicU64::new(1);
/// What chance begins with; 0: with the clock.
static SEED: AtomicU64 = AtomicU64::new(0);

/// Threads that allocated anything, where only samples are recorded: most of them have no number yet.
static THREADS: AtomicU32 = AtomicU32::new(0);

/// Points of this density from now on.
pub(super) fn begin(interval: u64, seed: u64) {
    INTERVAL.store(interval.max(1), Ordering::Relaxed);
    SEED.store(seed, Ordering::Relaxed);
    THREADS.store(0, Ordering::Relaxed);
}

impl Points {
    /// A thread's first point.
    pub(super) fn begin(&self, thread: u32, time: u64) {
        self.interval.set(INTERVAL.load(Ordering::Relaxed));
        let seed = match SEED.load(Ordering::Relaxed) {
            0 => time ^ (core::ptr::from_ref(self).addr() as u64) << 20,
            seed => seed,
        };
        self.random.set(seed.wrapping_add(u64::from(thread) << 32));
        self.next();
    }

    /// Every block is in the sample.
    pub(super) fn are_everywhere(&self) {
        self.until.set(i64::MIN);
    }

    /// Whether a block of this size is in the sample. Then the next point is to be [told](Self::next).
    #[inline(always)]
    pub(super) fn is_due(&self, size: usize) -> bool {
        let until = self.until.get().saturating_sub_unsigned(size as u64);
        self.until.set(until);
        until <= 0
    }

    /// Another number whenever a block was counted.
    pub(super) fn counted(&self) -> u64 {
        self.until.get().cast_unsigned() ^ self.random.get()
    }

    /// A block of this size was taken off, and is none.
    pub(super) fn give_back(&self, size: usize) {
        self.until.set(self.until.get().wrapping_add(size.cast_signed() as i64));
    }

    /// Whether a block of this size, which was taken off, reached the next point; then the one behind it is drawn. A thread's first
    /// point of a recording is drawn here.
    pub(super) fn reached(&self, session: u32, size: usize) -> bool {
        // Gaps have no memory: what is left of one of the last recording, or of the parent's, is one of this recording.
        if self.session.replace(session) != session
            && self.interval.get() != INTERVAL.load(Ordering::Relaxed)
        {
            self.begin(THREADS.fetch_add(1, Ordering::Relaxed), crate::clock::now());
            return self.is_due(size) && self.reached(session, size);
        }
        let is_reached = self.until.get() <= 0;
        if is_reached {
            self.next();
        }
        is_reached
    }

    /// In a child of `fork`: what was left of the parent's gap would be the same in all its children, and what follows it, too.
    pub(super) fn forked(&self) {
        if self.interval.get() != 0 && SEED.load(Ordering::Relaxed) == 0 {
            self.random.set(self.random.get() ^ crate::clock::now());
            self.next();
        }
    }

    /// The next point, behind the block that reached the last.
    pub(super) fn next(&self) {
        self.until.set(self.gap());
    }

    /// Bytes from one point to the next. Rounded up, so that a block of so many bytes reaches the point.
    fn gap(&self) -> i64 {
        /// 2^53: so many numbers are between 0 and 1.
        const PARTS: f64 = 9_007_199_254_740_992.0;
        let interval = INTERVAL.load(Ordering::Relaxed);
        // Never 0 and never 1.
        let chance = ((self.draw() >> 11) as f64 + 0.5) / PARTS;
        if interval == 1 {
            // Every block is asked for, one of no bytes too.
            return 0;
        }
        let gap = -logarithm(chance) * interval as f64;
        // Cut at the most that there is.
        (gap as i64).saturating_add(1)
    }

    /// Sebastiano Vigna's SplitMix64.
    fn draw(&self) -> u64 {
        let state = self.random.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.random.set(state);
        let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

/// The bytes that a block of this size in the sample stands for: its size, divided by how likely it is to be there.
pub(crate) fn weight(size: usize) -> u64 {
    let size = size as f64;
    (size / reached_by(size / INTERVAL.load(Ordering::Relaxed) as f64) + 0.5) as u64
}

/// 1 - exp(-part), for a part that is not below 0: how likely it is that a point falls into this part of an interval.
fn reached_by(part: f64) -> f64 {
    if part > 40.0 {
        return 1.0;
    }
    // 1 - exp(-x) of a 1024th of it by a series; then of twice as much, ten times.
    let x = part / 1024.0;
    let mut share = x * (1.0 - x / 2.0 * (1.0 - x / 3.0 * (1.0 - x / 4.0 * (1.0 - x / 5.0))));
    for _ in 0..10 {
        share *= 2.0 - share;
    }
    // Of a block of no bytes nothing is divided by 0.
    share.max(f64::MIN_POSITIVE)
}

/// The natural logarithm of a number between 0 and 1: of its power of two, and by a series of the rest, which is from 1 to 2.
fn logarithm(number: f64) -> f64 {
    const MANTISSA: u32 = 52;
    const ONE: u64 = 1023;
    let bits = number.to_bits();
    let power = (bits >> MANTISSA) as i64 - ONE as i64;
    let rest = f64::from_bits(bits << 12 >> 12 | ONE << MANTISSA);
    let part = (rest - 1.0) / (rest + 1.0);
    let (square, mut sum, mut odd) = (part * part, 0.0, 27);
    while odd > 0 {
        sum = sum * square + 1.0 / f64::from(odd);
        odd -= 2;
    }
    power as f64 * core::f64::consts::LN_2 + 2.0 * part * sum
}
