//! The project's own chores: `cargo xtask NAME [ARGS]`.

mod agree;
mod arceos;
mod benchmarks;
mod blocks;
mod ci;
mod compat;
mod dist;
mod features;
mod firmware;
mod golden;
mod layers;
mod libraries;
mod paths;
mod peers;
mod port;
mod qemu;
mod reach;
mod size;
mod storm;
mod wcet;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask NAME [ARGS]

  layers   every crate depends only on layers below it
  paths    every path named in the documents exists
  golden   instruction budgets of the fast paths, against bench/golden
  reach    the figures of docs/benchmarks.md, as tables
  blocks   the block allocators beside others
  benchmarks the recorded run of docs/benchmarks.md is the newest of bench/record
  agree    heapwright bench against hyperfine, on the same workloads
  peers    installs or finds the allocators to compare with
  qemu     boots the kernels of bare-metal in QEMU, and what they say
  wcet     the longest path of each allocator's entry points, from the disassembly
  size     bytes of code and of control block of each allocator in firmware
  arceos   the component OS's memory test in QEMU, on its allocators and on ours
  features the features that a build of the workspace leaves out, on this machine and for 32 bits
  compat   crates with others' interfaces, tried by those crates' users
  firmware the block allocators' C library on bare machines, and its bytes of code
  dist     a tarball to install from, tried without Rust
  libraries the drop-in libraries, built once for whoever embeds or tests them
  port     the library on musl, and on aarch64 in an emulator
  storm    storms of forks, threads, limits and signals against the drop-in library
  ci       the steps of .ci/run, one by one or all
";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    match name.as_str() {
        "layers" => layers::run(&rest),
        "dist" => dist::run(&rest),
        "libraries" => libraries::run(&rest),
        "paths" => paths::run(&rest),
        "golden" => golden::run(&rest),
        "reach" => reach::run(&rest),
        "blocks" => blocks::run(&rest),
        "benchmarks" => benchmarks::run(&rest),
        "agree" => agree::run(&rest),
        "peers" => peers::run(&rest),
        "qemu" => qemu::run(&rest),
        "wcet" => wcet::run(&rest),
        "size" => size::run(&rest),
        "arceos" => arceos::run(&rest),
        "features" => features::run(&rest),
        "compat" => compat::run(&rest),
        "firmware" => firmware::run(&rest),
        "port" => port::run(&rest),
        "storm" => storm::run(&rest),
        "ci" => ci::run(&rest),
        "" | "help" | "-h" | "--help" => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        other => {
            eprint!("xtask: there is no {other:?}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
