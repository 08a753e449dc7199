//! Where things lie in a slab: what a cache's settings come to in bytes.
//!
//! ```text
//! slab  ┌─ part ─┬─ part ─┬─ … ─┬─ part ─┬─ rest ─┐
//!
//! part  ┌──────────┬────────┬──────────┬─────────┬───────────┐     stride bytes
//!       │ red zone │ object │ red zone │ 2 users │ padding   │     only with checks;
//!       └──────────┴────────┴──────────┴─────────┴───────────┘     without any the object and padding
//!       0          left     left + size  users     stride
//! ```
use base::bits::align_up;

use super::order;
use super::settings::{DebugFlags, Refused, Settings};

/// Bytes that everything is aligned to at least.
const WORD: usize = 8;
const LINE: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) size: usize,
    pub(super) align: usize,
    pub(super) stride: usize,
    pub(super) left: usize,
    /// Where the users' numbers are; where the red zone or padding ends.
    pub(super) users: usize,
    pub(super) page: usize,
    pub(super) order: u32,
    /// The order that is enough for one object, for when memory is short.
    pub(super) least: u32,
    pub(super) objects: usize,
    /// ⌈2^64 / stride⌉: dividing by the stride is multiplying with it.
    magic: u64,
}

impl Shape {
    pub(super) fn of(settings: &Settings, page: usize) -> Result<Self, Refused> {
        let size = settings.size;
        if size == 0 {
            return Err(Refused::Empty);
        }
        if size > page << order::LARGEST {
            return Err(Refused::TooLarge);
        }
        if !settings.align.is_power_of_two() || settings.align > page {
            return Err(Refused::Alignment);
        }
        let mut align = settings.align.max(WORD);
        if settings.by_lines {
            let mut part = LINE;
            while size <= part / 2 {
                part /= 2;
            }
            align = align.max(part);
        }
        let red_zone = settings.debug.has(DebugFlags::RED_ZONE);
        let left = if red_zone { align_up(WORD, align) } else { 0 };
        // At least a byte behind the object.
        let users = align_up(left + size + usize::from(red_zone), WORD);
        let tracked = if settings.debug.has(DebugFlags::USER) { 2 * WORD } else { 0 };
        let stride = align_up(users + tracked, align);
        let Some(order) = order::slab_order(stride, page, settings.cpus) else {
            return Err(Refused::TooLarge);
        };
        Ok(Self {
            size,
            align,
            stride,
            left,
            users,
            page,
            order,
            least: order::get_order(stride, page),
            objects: order::objects(stride, page, order),
            magic: u64::MAX / stride as u64 + 1,
        })
    }

    /// `offset / stride`; exact below 2^64 / stride.
    #[inline]
    pub(super) fn index(&self, offset: usize) -> usize {
        (offset as u128 * u128::from(self.magic)).wrapping_shr(u64::BITS) as usize
    }
}
