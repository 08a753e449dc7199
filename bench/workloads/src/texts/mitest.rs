//! `mitest`: the rules of C's allocation calls, one after the other (`c/mitest.c`; component OS report, `Mitest`).

use crate::arguments::{Arguments, fixed, scaled};
use crate::heap;
use crate::list::Workload;
use crate::results::{Results, wrong};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "mitest",
    parameters: &[
        fixed("largest", 2 << 20, "bytes of the largest block that is granted").least(65536),
        scaled("rounds", 120, "how often every rule is checked"),
    ],
    run,
};

unsafe extern "C" {
    fn work_mitest(rounds: u64, largest: u64, seed: u64) -> u64;
}

fn run(arguments: &Arguments, results: &mut Results) {
    if heap::is_null() {
        wrong("the null allocator keeps none of the rules");
    }
    let largest = arguments.get("largest").max(1 << 16);
    // SAFETY: any numbers will do.
    let refused = unsafe { work_mitest(arguments.get("rounds"), largest, arguments.seed) };
    heap::were_to_be_refused(refused);
    results.peak_live(4 * arguments.size("largest"));
}
