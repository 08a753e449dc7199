//! From steps to columns.

use std::io;

use trace_format::varint::zigzag;

use super::addresses::Addresses;
use super::{NEAR, Near, near, part, token};
use crate::packed::section::SectionWriter;
use crate::packed::summary::Segment;
use crate::packed::{LONGEST_TEXT, MUCH_OTHER, SEGMENT, STEPS, numbers};
use crate::step::{Block, Frame, How, Op, Step, Thread};

/// The coarsest unit of time is 2 to this many nanoseconds: 16 µs.
const COARSEST: u32 = 14;
/// So many steps have times to the nanosecond.
const FEW: usize = 4096;

/// Columns that steps are added to until they make a segment.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    kinds: Vec<u8>,
    threads: Vec<u8>,
    run: (Thread, u64),
    times: Vec<u64>,
    sizes: Vec<u64>,
    newest: Vec<u64>,
    last: Vec<u64>,
    frames: Vec<u64>,
    addresses: Vec<u8>,
    other: Vec<u8>,
    near: Vec<Near>,
    places: Addresses,
    with_addresses: bool,
}

impl Builder {
    pub(crate) fn new(with_addresses: bool) -> Self {
        let mut builder = Self { with_addresses, ..Self::default() };
        builder.begin(0);
        builder
    }

    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// No further step should be added.
    pub(crate) fn is_full(&self) -> bool {
        self.kinds.len() >= STEPS || self.other.len() >= MUCH_OTHER
    }

    pub(crate) fn add(&mut self, step: &Step) {
        self.times.push(step.time);
        if self.run.0 != step.thread {
            self.end_run();
            self.run = (step.thread, 0);
        }
        self.run.1 += 1;
        let thread = step.thread as usize % NEAR;
        match &step.op {
            &Op::Allocate { block, how, size, align, address, frame } => {
                self.kinds.push(match how {
                    How::Malloc => token::MALLOC,
                    How::Calloc => token::CALLOC,
                    How::Aligned => token::ALIGNED,
                    How::Born => token::BORN,
                });
                if how == How::Aligned {
                    self.other(align);
                }
                self.block(thread, block, (size, None), address, frame);
            }
            &Op::Reallocate { old, block, size, address, frame } => {
                self.gone(thread, old, [token::REALLOC_NEWEST, token::REALLOC_LAST]);
                self.block(thread, block, (size, Some(old)), address, frame);
            }
            &Op::Free { block, touched: None } => {
                self.gone(thread, block, [token::FREE_NEWEST, token::FREE_LAST]);
            }
            &Op::Free { block, touched: Some(pages) } => {
                let tokens = [token::FREE_NEWEST_TOUCHED, token::FREE_LAST_TOUCHED];
                self.gone(thread, block, tokens);
                self.other(u64::from(pages));
            }
            &Op::Refused { size } => {
                self.kinds.push(token::REFUSED);
                self.sizes.push(size);
            }
            &Op::UsableSize { block, usable } => {
                self.kinds.push(token::USABLE_SIZE);
                self.newest.push(back(self.near[thread].newest, block));
                self.other(usable);
            }
            Op::ThreadStart => self.kinds.push(token::THREAD_START),
            Op::ThreadName(name) => self.text(token::THREAD_NAME, name),
            Op::ThreadEnd => self.kinds.push(token::THREAD_END),
            &Op::Fork { child } => self.rare(token::FORK, [u64::from(child)]),
            Op::Exec(path) => self.text(token::EXEC, path),
            &Op::Map { address, len } => self.rare(token::MAP, [address, len]),
            &Op::Unmap { address, len } => self.rare(token::UNMAP, [address, len]),
            Op::Mark(name) => self.text(token::MARK, name),
            &Op::Memory { anon, file, shmem } => self.rare(token::MEMORY, [anon, file, shmem]),
            &Op::Dropped { events } => self.rare(token::DROPPED, [events]),
        }
    }

    fn end_run(&mut self) {
        let (thread, steps) = self.run;
        if steps > 0 {
            numbers::put(&mut self.threads, u64::from(thread));
            numbers::put(&mut self.threads, steps);
        }
    }

    fn other(&mut self, number: u64) {
        numbers::put(&mut self.other, number);
    }

    fn rare<const N: usize>(&mut self, token: u8, fields: [u64; N]) {
        self.kinds.push(token);
        fields.into_iter().for_each(|field| self.other(field));
    }

    fn text(&mut self, token: u8, text: &str) {
        let text = &text.as_bytes()[..text.len().min(LONGEST_TEXT)];
        self.rare(token, [text.len() as u64]);
        self.other.extend_from_slice(text);
    }

    fn block(
        &mut self,
        thread: usize,
        block: Block,
        (size, old): (u64, Option<Block>),
        address: u64,
        frame: Frame,
    ) {
        self.sizes.push(size);
        self.frames.push(u64::from(frame));
        self.near[thread].newest = block;
        if self.with_addresses {
            let distance = self.places.distance(thread, size, old, address);
            numbers::put(&mut self.addresses, distance);
        }
    }

    /// A block that was freed or reallocated: counted from where fewer digits are needed.
    fn gone(&mut self, thread: usize, block: Block, [by_newest, by_last]: [u8; 2]) {
        let near = &mut self.near[thread];
        let (newest, last) = (back(near.newest, block), back(block, near.last));
        near.last = block;
        self.places.gone(thread, block);
        if last < newest / 8 {
            self.kinds.push(by_last);
            self.last.push(last);
        } else {
            self.kinds.push(by_newest);
            self.newest.push(newest);
        }
    }

    /// Writes the segment and begins the next, which begins with `next_block`. `segment` learns its unit of time and its place.
    pub(crate) fn write<W: io::Write>(
        &mut self,
        segment: &mut Segment,
        next_block: Block,
        out: &mut SectionWriter<W>,
    ) -> io::Result<()> {
        self.end_run();
        segment.offset = out.at();
        segment.unit = u64::from(unit(&self.times));
        let mut before = 0;
        for time in &mut self.times {
            let units = time.saturating_sub(segment.begin) >> segment.unit;
            *time = units - before;
            before = units;
        }
        if self.frames.iter().all(|&frame| frame == 0) {
            self.frames.clear();
        }
        let mut parts: [&[u8]; part::OTHER + 1] = Default::default();
        let summary = segment.to_bytes();
        let columns = [&self.times, &self.sizes, &self.newest, &self.last, &self.frames];
        let encoded = columns.map(|column| match &column[..] {
            [] => Default::default(),
            column => numbers::encode(column),
        });
        let places = [part::TIMES, part::SIZES, part::NEWEST, part::LAST, part::FRAMES];
        for ((symbols, wide), place) in encoded.iter().zip(places) {
            parts[place] = symbols;
            parts[place + 1] = wide;
        }
        parts[0] = &summary;
        parts[part::KINDS] = &self.kinds;
        parts[part::THREADS] = &self.threads;
        parts[part::ADDRESSES] = &self.addresses;
        parts[part::OTHER] = &self.other;
        out.section(SEGMENT, &parts)?;
        self.begin(next_block);
        Ok(())
    }

    fn begin(&mut self, first_block: Block) {
        self.near = near(first_block);
        self.places.begin(first_block);
        self.run = (0, 0);
        for column in [&mut self.kinds, &mut self.threads, &mut self.addresses, &mut self.other] {
            column.clear();
        }
        let columns = [&mut self.times, &mut self.sizes, &mut self.newest, &mut self.last];
        columns.into_iter().for_each(Vec::clear);
        self.frames.clear();
    }
}

/// How far back `block` is from `from`, of either sign.
fn back(from: Block, block: Block) -> u64 {
    zigzag(from.wrapping_sub(block).cast_signed())
}

/// The unit of a segment's times: about four steps fall into one, as finer times would take more room than all else. A few
/// steps take little room anyway.
fn unit(times: &[u64]) -> u32 {
    if times.len() < FEW {
        return 0;
    }
    let (Some(first), Some(last)) = (times.first(), times.last()) else { return 0 };
    let each = last.saturating_sub(*first) / times.len() as u64;
    (4 * each + 1).next_power_of_two().ilog2().min(COARSEST)
}
