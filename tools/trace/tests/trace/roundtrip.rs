//! What is pushed comes back, in any segment, by any number of threads.

use trace::testing::{about, check, packed};
use trace::{About, How, Op, Step};

/// Numbers without a pattern, always the same ones.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        let factor = 6_364_136_223_846_793_005;
        self.0 = self.0.wrapping_mul(factor).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    pub(crate) fn place(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap()
    }

    /// A small number mostly, and seldom any.
    fn size(&mut self) -> u64 {
        let shift = if self.below(50) == 0 { self.below(64) } else { 50 + self.below(14) };
        (self.below(1 << 31) << 33 | 1) >> shift
    }
}

/// Steps of every kind, by 300 threads.
fn steps(count: usize, seed: u64) -> Vec<Step> {
    let mut draw = Draw(seed);
    let (mut steps, mut live) = (Vec::new(), Vec::new());
    let (mut time, mut threads, mut block) = (0, 0, 0);
    while steps.len() < count {
        time += draw.size() % 10_000;
        let thread = u32::try_from(draw.below(300)).unwrap().min(threads);
        threads = threads.max(thread + 1);
        let frame = u32::try_from(draw.below(3)).unwrap();
        let (size, address) = (draw.size(), 0x7000_0000_0000 + draw.below(1 << 20) * 8);
        let how = [How::Malloc, How::Calloc, How::Aligned, How::Born][draw.place(4)];
        let taken = (draw.below(4) < 2 && !live.is_empty())
            .then(|| live.swap_remove(draw.place(live.len())));
        let op = match (taken, draw.below(20)) {
            (Some(block), 1) => Op::Free { block, touched: Some(frame * 1000) },
            (Some(old), 2..4) => {
                block += 1;
                live.push(block - 1);
                Op::Reallocate { old, block: block - 1, size, address, frame }
            }
            (Some(block), _) => Op::Free { block, touched: None },
            (None, 0) => Op::Refused { size },
            (None, 1) => Op::ThreadName(format!("thread {size}")),
            (None, 2) => Op::Fork { child: frame },
            (None, 3) => Op::Exec("/bin/true".into()),
            (None, 4) => Op::Map { address, len: size },
            (None, 5) => Op::Unmap { address, len: size },
            (None, 6) => Op::Mark(String::new()),
            (None, 7) => Op::Memory { anon: size, file: address, shmem: 0 },
            (None, 8) => Op::Dropped { events: size },
            (None, 9) if block > 0 => Op::UsableSize { block: draw.below(block), usable: size },
            (None, 10) => Op::ThreadStart,
            (None, 11) => Op::ThreadEnd,
            _ => {
                block += 1;
                live.push(block - 1);
                let align = if how == How::Aligned { 64 << frame } else { 0 };
                Op::Allocate { block: block - 1, how, size, align, address, frame }
            }
        };
        steps.push(Step { time, thread, op });
    }
    steps
}

#[test]
fn a_few_steps_come_back_to_the_nanosecond() {
    for (seed, count) in (0..30).zip((1..).step_by(100)) {
        let pushed = steps(count, seed);
        let trace = packed(&about(), |packer| {
            pushed.iter().for_each(|step| packer.push(step).unwrap());
        });
        let read: Vec<Step> = trace.steps().map(Result::unwrap).collect();
        assert_eq!(read, pushed, "seed {seed}");
    }
}

#[test]
fn many_steps_come_back_in_segments() {
    let pushed = steps(600_000, 7);
    let trace = packed(&about(), |packer| {
        pushed.iter().for_each(|step| packer.push(step).unwrap());
    });
    assert_eq!(trace.segments().len(), 3);
    assert_eq!(check(&trace).steps, 600_000);
    for (number, segment) in trace.segments().iter().enumerate() {
        let pushed = &pushed[usize::try_from(segment.first_step).unwrap()..];
        for (read, pushed) in trace.steps_from(number).zip(pushed) {
            let read = read.unwrap();
            assert_eq!((read.thread, &read.op), (pushed.thread, &pushed.op));
            assert!(pushed.time - read.time < 1 << 14);
        }
    }
}

#[test]
fn without_addresses_all_else_is_the_same() {
    let mut pushed = steps(5000, 3);
    let about = About { addresses: false, ..about() };
    let trace = packed(&about, |packer| {
        pushed.iter().for_each(|step| packer.push(step).unwrap());
    });
    for step in &mut pushed {
        if let Op::Allocate { address, .. } | Op::Reallocate { address, .. } = &mut step.op {
            *address = 0;
        }
    }
    assert!(!trace.about().addresses);
    let ops: Vec<Op> = trace.steps().map(|step| step.unwrap().op).collect();
    assert!(ops.iter().eq(pushed.iter().map(|step| &step.op)));
}

#[test]
fn steps_that_cannot_come_now_are_refused() {
    let allocate =
        |block| Op::Allocate { block, how: How::Malloc, size: 1, align: 0, address: 0, frame: 0 };
    let _ = packed(&about(), |packer| {
        let mut push = |thread, op| packer.push(&Step { time: 5, thread, op });
        push(0, allocate(0)).unwrap();
        assert!(push(0, allocate(0)).is_err());
        assert!(push(0, allocate(2)).is_err());
        assert!(push(2, Op::ThreadStart).is_err());
        assert!(push(0, Op::Free { block: 1, touched: None }).is_err());
        push(0, Op::Free { block: 0, touched: None }).unwrap();
        assert!(push(0, Op::Free { block: 0, touched: None }).is_err());
    });
}
