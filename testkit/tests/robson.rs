//! The adversaries against every block allocator: what they need is below what is proved.
use base::{AddMemory, BlockAllocator};
use heapwright_testkit::block::Kind;
use heapwright_testkit::block::kinds::{self, Visit};
use heapwright_testkit::block::robson::{Adversary, Budget, least_memory};

/// Prints what each adversary needs of each allocator, as a multiple of what is live.
struct Table {
    budget: Budget,
}

impl Visit for Table {
    fn visit<A: BlockAllocator + AddMemory + Send + 'static>(&mut self, kind: Kind<A>) {
        let most = 64 << 20;
        print!("{:10}", kind.name);
        for adversary in Adversary::ALL.into_iter().chain([1, 2, 3, 4].map(Adversary::Random)) {
            let least = least_memory(kind.make, adversary, self.budget, 8, most);
            let live = self.budget.live as f64;
            print!(" {:>8.2}", least.map_or(f64::NAN, |least| least as f64 / live));
        }
        println!();
    }
}

#[test]
fn table() {
    for largest in [120, 1016, 8184, 65528] {
        let budget = Budget { live: 256 << 10, largest, smallest: 24 };
        println!("{budget:?}: Robson, sparse, pairs, random …");
        kinds::each(&mut Table { budget });
    }
}
