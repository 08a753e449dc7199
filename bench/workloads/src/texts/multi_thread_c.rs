//! `multi-thread-c`: the component OS's `multi_thread_test` in C (`c/multi_thread.c`).

use crate::arguments::{Arguments, fixed, scaled};
use crate::list::Workload;
use crate::results::Results;

pub(crate) const WORKLOAD: Workload = Workload {
    name: "multi-thread-c",
    parameters: &[
        fixed("threads", 4, "threads"),
        fixed("slots", 1000, "blocks of a thread"),
        fixed("largest", 2048, "bytes of the largest block"),
        scaled("steps", 8_000_000, "blocks that each thread replaces"),
    ],
    run,
};

unsafe extern "C" {
    fn work_multi_thread(threads: u64, steps: u64, slots: u64, largest: u64, seed: u64);
}

fn run(arguments: &Arguments, results: &mut Results) {
    let get = |name| arguments.get(name);
    let (threads, steps, slots) = (get("threads"), get("steps"), get("slots").max(1));
    let start = timing::now();
    // SAFETY: any numbers will do; refused blocks are counted by `heap`.
    unsafe { work_multi_thread(threads, steps, slots, get("largest"), arguments.seed) };
    results.work(2 * threads * steps, timing::now() - start);
    let mean = 8 + arguments.size("largest") / 2;
    results.peak_live(arguments.size("threads") * arguments.size("slots") * mean);
}
