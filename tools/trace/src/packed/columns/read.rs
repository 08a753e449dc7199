//! From columns to steps.

use trace_format::varint::unzigzag;

use super::addresses::Addresses;
use super::{NEAR, Near, near, part, token};
use crate::error::TraceError;
use crate::packed::LONGEST_COLUMN;
use crate::packed::numbers::{Numbers, Varints};
use crate::packed::section::{Section, SectionFile, Unpacker};
use crate::packed::summary::Segment;
use crate::step::{Block, Frame, How, Op, Step, Thread};

/// The columns of one segment, read step by step. Its memory is used again for the next.
#[derive(Debug)]
pub(crate) struct Decoder {
    unpacker: Unpacker,
    kinds: Vec<u8>,
    threads: Varints,
    times: Numbers,
    sizes: Numbers,
    newest: Numbers,
    last: Numbers,
    frames: Numbers,
    addresses: Varints,
    other: Varints,
    near: Vec<Near>,
    places: Addresses,
    at: usize,
    run: (Thread, u64),
    most_threads: u64,
    begin: u64,
    units: u64,
    unit: u64,
    next_block: Block,
}

impl Decoder {
    pub(crate) fn new(file: &SectionFile) -> Result<Self, TraceError> {
        Ok(Self {
            unpacker: Unpacker::new(file)?,
            kinds: Vec::new(),
            threads: Varints::default(),
            times: Numbers::default(),
            sizes: Numbers::default(),
            newest: Numbers::default(),
            last: Numbers::default(),
            frames: Numbers::default(),
            addresses: Varints::default(),
            other: Varints::default(),
            near: Vec::new(),
            places: Addresses::default(),
            at: 0,
            run: (0, 0),
            most_threads: 0,
            begin: 0,
            units: 0,
            unit: 0,
            next_block: 0,
        })
    }

    /// Goes to the begin of a segment of a trace that has so many threads.
    pub(crate) fn load(
        &mut self,
        file: &SectionFile,
        segment: &Segment,
        threads: u64,
    ) -> Result<(), TraceError> {
        self.kinds.clear();
        self.at = 0;
        let section = file.section(segment.offset)?;
        self.fill(file, &section)?;
        let columns =
            [&mut self.times, &mut self.sizes, &mut self.newest, &mut self.last, &mut self.frames];
        let whole = columns.into_iter().all(|column| column.rewind().is_some());
        if !whole || self.kinds.len() as u64 != segment.steps {
            self.kinds.clear();
            return Err(file.damaged(segment.offset, "this segment is not whole"));
        }
        for column in [&mut self.threads, &mut self.addresses, &mut self.other] {
            column.rewind();
        }
        self.near = near(segment.first_block);
        self.places.begin(segment.first_block);
        self.run = (0, 0);
        self.most_threads = threads.min(segment.threads);
        self.begin = segment.begin;
        self.units = 0;
        self.unit = segment.unit;
        self.next_block = segment.first_block;
        Ok(())
    }

    fn fill(&mut self, file: &SectionFile, section: &Section) -> Result<(), TraceError> {
        let numbers = [
            (part::TIMES, &mut self.times),
            (part::SIZES, &mut self.sizes),
            (part::NEWEST, &mut self.newest),
            (part::LAST, &mut self.last),
            (part::FRAMES, &mut self.frames),
        ];
        for (place, column) in numbers {
            self.unpacker.part(file, section, place, LONGEST_COLUMN, &mut column.symbols)?;
            let wide = &mut column.wide.bytes;
            self.unpacker.part(file, section, place + 1, LONGEST_COLUMN, wide)?;
        }
        let bytes = [
            (part::THREADS, &mut self.threads.bytes),
            (part::ADDRESSES, &mut self.addresses.bytes),
            (part::OTHER, &mut self.other.bytes),
            (part::KINDS, &mut self.kinds),
        ];
        for (place, column) in bytes {
            self.unpacker.part(file, section, place, LONGEST_COLUMN, column)?;
        }
        Ok(())
    }

    /// The next step, or `None` at the end; `Err`: the columns do not fit together.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Result<Step, ()>> {
        let kind = *self.kinds.get(self.at)?;
        self.at += 1;
        let step = self.step(kind);
        if step.is_none() {
            self.kinds.clear();
        }
        Some(step.ok_or(()))
    }

    #[inline]
    fn step(&mut self, kind: u8) -> Option<Step> {
        if self.run.1 == 0 {
            self.next_run()?;
        }
        self.run.1 -= 1;
        self.units = self.units.checked_add(self.times.next()?)?;
        let time = self.begin.saturating_add(self.units << self.unit);
        Some(Step { time, thread: self.run.0, op: self.op(kind)? })
    }

    fn next_run(&mut self) -> Option<()> {
        let thread = self.threads.next().filter(|&thread| thread < self.most_threads)?;
        self.run = (Thread::try_from(thread).ok()?, self.threads.next()?);
        (self.run.1 > 0).then_some(())
    }

    #[inline]
    fn op(&mut self, kind: u8) -> Option<Op> {
        let allocate = |this: &mut Self, how: How, align: u64| {
            let (block, size, address, frame) = this.block(None)?;
            Some(Op::Allocate { block, how, size, align, address, frame })
        };
        Some(match kind {
            token::MALLOC => allocate(self, How::Malloc, 0)?,
            token::FREE_NEWEST => Op::Free { block: self.by_newest(true)?, touched: None },
            token::FREE_LAST => Op::Free { block: self.by_last()?, touched: None },
            token::CALLOC => allocate(self, How::Calloc, 0)?,
            token::ALIGNED => {
                let align = self.other.next()?;
                allocate(self, How::Aligned, align)?
            }
            token::BORN => allocate(self, How::Born, 0)?,
            token::REALLOC_NEWEST => {
                let old = self.by_newest(true)?;
                self.reallocate(old)?
            }
            token::REALLOC_LAST => {
                let old = self.by_last()?;
                self.reallocate(old)?
            }
            token::FREE_NEWEST_TOUCHED => {
                Op::Free { block: self.by_newest(true)?, touched: Some(self.small()?) }
            }
            token::FREE_LAST_TOUCHED => {
                Op::Free { block: self.by_last()?, touched: Some(self.small()?) }
            }
            _ => self.rare(kind)?,
        })
    }

    #[cold]
    fn rare(&mut self, kind: u8) -> Option<Op> {
        Some(match kind {
            token::REFUSED => Op::Refused { size: self.sizes.next()? },
            token::USABLE_SIZE => {
                Op::UsableSize { block: self.by_newest(false)?, usable: self.other.next()? }
            }
            token::THREAD_START => Op::ThreadStart,
            token::THREAD_NAME => Op::ThreadName(self.text()?),
            token::THREAD_END => Op::ThreadEnd,
            token::FORK => Op::Fork { child: self.small()? },
            token::EXEC => Op::Exec(self.text()?),
            token::MAP => Op::Map { address: self.other.next()?, len: self.other.next()? },
            token::UNMAP => Op::Unmap { address: self.other.next()?, len: self.other.next()? },
            token::MARK => Op::Mark(self.text()?),
            token::MEMORY => Op::Memory {
                anon: self.other.next()?,
                file: self.other.next()?,
                shmem: self.other.next()?,
            },
            token::DROPPED => Op::Dropped { events: self.other.next()? },
            _ => return None,
        })
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.other.next()?).ok()
    }

    fn text(&mut self) -> Option<String> {
        let len = self.other.next()?;
        Some(String::from_utf8_lossy(self.other.take(len)?).into_owned())
    }

    fn near(&mut self) -> &mut Near {
        &mut self.near[self.run.0 as usize % NEAR]
    }

    /// Number, size, address and frame of a new block, or of the one that `old` becomes.
    #[inline]
    fn block(&mut self, old: Option<Block>) -> Option<(Block, u64, u64, Frame)> {
        let block = self.next_block;
        self.next_block += 1;
        self.near().newest = block;
        let size = self.sizes.next()?;
        let address = if self.addresses.bytes.is_empty() {
            0
        } else {
            let distance = self.addresses.next()?;
            self.places.address(self.run.0 as usize % NEAR, size, old, distance)
        };
        let frame = if self.frames.symbols.is_empty() { 0 } else { self.frames.next()? };
        Some((block, size, address, Frame::try_from(frame).ok()?))
    }

    fn reallocate(&mut self, old: Block) -> Option<Op> {
        let (block, size, address, frame) = self.block(Some(old))?;
        Some(Op::Reallocate { old, block, size, address, frame })
    }

    #[inline]
    fn gone(&mut self, block: Block) {
        if !self.addresses.bytes.is_empty() {
            self.places.gone(self.run.0 as usize % NEAR, block);
        }
    }

    /// A block by its distance from the thread's newest; `gone` if it is freed now.
    #[inline]
    fn by_newest(&mut self, gone: bool) -> Option<Block> {
        let distance = unzigzag(self.newest.next()?).cast_unsigned();
        let next_block = self.next_block;
        let near = self.near();
        let block = near.newest.wrapping_sub(distance);
        if gone {
            near.last = block;
            self.gone(block);
        }
        (block < next_block).then_some(block)
    }

    /// A block by its distance from the one that the thread freed last.
    #[inline]
    fn by_last(&mut self) -> Option<Block> {
        let distance = unzigzag(self.last.next()?).cast_unsigned();
        let next_block = self.next_block;
        let near = self.near();
        near.last = near.last.wrapping_add(distance);
        let block = near.last;
        self.gone(block);
        (block < next_block).then_some(block)
    }
}
