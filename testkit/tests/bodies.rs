//! The seven test bodies on every block allocator, each a fiftieth of its size.
use base::{AddMemory, BlockAllocator};
use heapwright_testkit::block::bodies::{BODIES, MEMORY, Part};
use heapwright_testkit::block::kinds::{self, Visit};
use heapwright_testkit::block::shared::Serve;
use heapwright_testkit::block::switch;
use heapwright_testkit::block::{Kind, Shared, Switch};

#[global_allocator]
static SWITCH: Switch = Switch;

struct All {
    ran: usize,
}

impl Visit for All {
    fn visit<A: BlockAllocator + AddMemory + Send + 'static>(&mut self, kind: Kind<A>) {
        // Leaked: the switch may be asked about its addresses until the process ends.
        let shared: &'static Shared<A> =
            Box::leak(Box::new(Shared::new(kind, MEMORY / 4).expect("the memory is taken")));
        for body in BODIES {
            switch::with(Some(shared), || {
                let result = body.run(shared, Part(50)).and_then(|()| shared.is_whole());
                result.unwrap_or_else(|said| panic!("{} on {}: {said}", body.name, kind.name));
            });
            self.ran += 1;
        }
    }
}

#[test]
fn every_allocator_runs_all_seven() {
    let mut all = All { ran: 0 };
    kinds::each(&mut all);
    assert_eq!(all.ran % BODIES.len(), 0);
    assert!(all.ran >= 6 * BODIES.len());
}
