//! One stream of operations through every block allocator at once.
use base::{AddMemory, BlockAllocator};
use heapwright_testkit::block::Kind;
use heapwright_testkit::block::differential::{Lane, differential, lane};
use heapwright_testkit::block::kinds::{self, Visit};
use heapwright_testkit::{Distribution, Generator};

struct Lanes {
    len: usize,
    slots: usize,
    lanes: Vec<Box<dyn Lane>>,
}

impl Visit for Lanes {
    fn visit<A: BlockAllocator + AddMemory + Send + 'static>(&mut self, kind: Kind<A>) {
        self.lanes.push(lane(kind, self.len, self.slots).unwrap());
    }
}

/// The same streams in a memory with room for all of it, and in one without.
#[test]
fn all_policies_hold_the_same_bytes() {
    let len = 2 << 20;
    for budget in [len / 8, len * 9 / 10] {
        for distribution in Distribution::ALL {
            for seed in 0..4 {
                let by = Generator { distribution, ops: 1500, slots: 100, ..Generator::default() };
                let program =
                    Generator { budget, impossible: budget > len / 2, ..by }.program(seed);
                let mut lanes = Lanes { len, slots: program.slots(), lanes: Vec::new() };
                kinds::each(&mut lanes);
                lanes.visit(kinds::tlsf_8());
                lanes.visit(kinds::tlsf_64());
                let refused = differential(&mut lanes.lanes, &program)
                    .unwrap_or_else(|said| panic!("{distribution}, seed {seed}: {said}"));
                let names: Vec<&str> = lanes.lanes.iter().map(|lane| lane.name()).collect();
                assert!(
                    budget > len / 2 || refused.iter().all(|&n| n == 0),
                    "{distribution}, seed {seed}: {names:?} refused {refused:?}"
                );
            }
        }
    }
}
