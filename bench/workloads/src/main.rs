//! The workloads of `heapwright bench`: one program, a workload a run.
//!
//! ```text
//! heapwright-workloads NAME [KEY=VALUE…]     runs it, prints its figures (see `results`)
//! heapwright-workloads check NAME KEY=VALUE… runs nothing, says whether these parameters are right, and
//!                                            leave something to measure
//! heapwright-workloads list                  names and parameters
//! ```
//!
//! Every workload does a fixed amount of work, which the seed decides, and verifies its data as it goes. It gets its memory
//! from [`heap`]: the process's malloc, which `LD_PRELOAD` can replace, or one of the region allocators of this program.
//!
//! Exit codes: 0 done; 1 wrong data or a wrong result, named on standard error; 2 wrong usage.
//!
//! A new workload is one file in `texts`, `kernel`, `community` or `ours`, one line in [`list`], one file in `bench/definitions`.

mod arguments;
mod block;
mod check;
mod community;
mod heap;
mod kernel;
mod list;
mod ours;
mod pieces;
mod results;
mod rng;
mod sizes;
mod tail;
mod texts;
mod threads;

use std::env;
use std::io;
use std::process::ExitCode;

use arguments::Arguments;
use results::Results;

#[global_allocator]
static GLOBAL: heap::Global = heap::Global;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let only_checks = words.first().is_some_and(|word| word == "check");
    let Some((name, rest)) = words[usize::from(only_checks)..].split_first() else {
        eprintln!("usage: heapwright-workloads [check] NAME [KEY=VALUE…] | list");
        return ExitCode::from(2);
    };
    if name == "list" {
        list::print();
        return ExitCode::SUCCESS;
    }
    let Some(workload) = list::find(name) else {
        eprintln!("no workload {name}; 'heapwright-workloads list' prints them all");
        return ExitCode::from(2);
    };
    let arguments = match Arguments::parse(workload.parameters, rest) {
        Ok(arguments) => arguments,
        Err(why) => {
            eprintln!("{name}: {why}");
            return ExitCode::from(2);
        }
    };
    let (allocator, bytes) = (&arguments.allocator, arguments.region_bytes);
    // A workload of the kernel's takes its allocator itself: what else the program has stays malloc's.
    let chosen = match (kernel::has(workload), only_checks) {
        (true, _) => kernel::find(allocator),
        (false, true) => Ok(()),
        (false, false) => heap::choose(allocator, bytes),
    };
    let of_use = if only_checks { arguments.are_of_use(workload.parameters) } else { Ok(()) };
    if let Err(why) = chosen.and(of_use) {
        eprintln!("{name}: {why}");
        return ExitCode::from(2);
    }
    if only_checks {
        return ExitCode::SUCCESS;
    }
    if arguments.tail > 0 {
        tail::start(arguments.tail > 1);
        heap::count_calls();
    }
    let mut results = Results::default();
    (workload.run)(&arguments, &mut results);
    tail::stop();
    if !kernel::has(workload) {
        results.refused(heap::refused());
    }
    let mut out = io::stdout().lock();
    match results.write(&mut out).and_then(|()| tail::write(&mut out)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{name}: cannot print the figures: {why}");
            ExitCode::FAILURE
        }
    }
}
