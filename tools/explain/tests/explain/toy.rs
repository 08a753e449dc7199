//! A program and an allocator to explain: size classes in slabs of 64 KiB, last in, first out, nothing goes back.

use std::collections::{HashMap, HashSet};

use explain::{Facts, Program, Stacks};
use trace::{How, Op, Step};

const PAGE: u64 = 4096;
const SLAB: u64 = 64 << 10;
/// What the process had before its first block.
const BASE: u64 = 300 << 10;

/// Makes steps, with a look at resident memory every 500 of them.
#[derive(Debug, Default)]
pub(crate) struct Toy {
    pub(crate) steps: Vec<Step>,
    time: u64,
    /// By thread and class.
    free: HashMap<(u32, u64), Vec<u64>>,
    next: u64,
    live: HashMap<u64, (u64, u64)>,
    blocks: u64,
    resident: HashSet<u64>,
    /// Resident beside all blocks: anonymous and shared.
    pub(crate) beside: (u64, u64),
    /// Pages of files beside the first MiB of code.
    pub(crate) files: u64,
    /// What was set for its malloc.
    pub(crate) settings: Vec<String>,
}

impl Toy {
    /// One that was looked at before its first block.
    pub(crate) fn new() -> Self {
        let mut toy = Self::default();
        toy.look();
        toy
    }

    fn step(&mut self, thread: u32, op: Op) {
        self.time += 1000;
        self.steps.push(Step { time: self.time, thread, op });
        if self.steps.len().is_multiple_of(500) {
            self.look();
        }
    }

    /// Time goes by.
    pub(crate) fn wait(&mut self, nanoseconds: u64) {
        self.time += nanoseconds;
    }

    pub(crate) fn look(&mut self) {
        let anon = BASE + self.beside.0 + self.resident.len() as u64 * PAGE;
        let op = Op::Memory { anon, file: (1 << 20) + self.files, shmem: self.beside.1 };
        self.steps.push(Step { time: self.time, thread: 0, op });
    }

    pub(crate) fn malloc(&mut self, thread: u32, size: u64) -> u64 {
        let class = size.next_multiple_of(16).max(16);
        let free = self.free.entry((thread, class)).or_default();
        if free.is_empty() {
            let slab = 0x10_0000_0000 + self.next;
            let len = class.next_multiple_of(SLAB);
            self.next += len;
            free.extend((0..len / class).rev().map(|n| slab + n * class));
        }
        let address = free.pop().unwrap();
        let pages = address / PAGE..=(address + size.max(1) - 1) / PAGE;
        self.resident.extend(pages);
        let block = self.blocks;
        self.blocks += 1;
        self.live.insert(block, (address, class));
        let how = How::Malloc;
        self.step(thread, Op::Allocate { block, how, size, align: 0, address, frame: 0 });
        block
    }

    pub(crate) fn free(&mut self, thread: u32, block: u64) {
        let (address, class) = self.live.remove(&block).unwrap();
        self.free.entry((thread, class)).or_default().push(address);
        self.step(thread, Op::Free { block, touched: None });
    }

    pub(crate) fn many(&mut self, thread: u32, count: usize, size: u64) -> Vec<u64> {
        (0..count).map(|_| self.malloc(thread, size)).collect()
    }

    pub(crate) fn free_all(&mut self, thread: u32, blocks: Vec<u64>) {
        blocks.into_iter().for_each(|block| self.free(thread, block));
    }

    pub(crate) fn map(&mut self, address: u64, len: u64) {
        self.step(0, Op::Map { address, len });
    }

    pub(crate) fn mark(&mut self, thread: u32, name: &str) {
        self.step(thread, Op::Mark(name.to_owned()));
    }

    /// Blocks that come and go.
    pub(crate) fn churn(&mut self, thread: u32, times: u64) {
        for n in 0..times {
            let block = self.malloc(thread, 100 + n % 50);
            self.free(thread, block);
        }
    }

    pub(crate) fn facts(&self) -> Facts {
        let program = Program {
            command: "toy".into(),
            malloc: "toy".into(),
            settings: self.settings.clone(),
            pid: 1,
            ..Program::default()
        };
        let pass = |each: &mut dyn FnMut(&Step)| -> Result<(), core::convert::Infallible> {
            self.steps.iter().for_each(each);
            Ok(())
        };
        let Ok(facts) = explain::gather(program, &Stacks::default(), pass);
        facts
    }
}
