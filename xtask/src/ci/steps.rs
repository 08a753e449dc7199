//! The steps of `.ci/run`: what each checks, what it reads, where it builds, and how it is run.

use super::forms::{self, Form, Outcome};

pub(super) struct Step {
    pub(super) name: &'static str,
    /// What it checks, a cell of the table in CONTRIBUTING.md.
    pub(super) what: &'static str,
    pub(super) when: When,
    /// What only `cargo xtask ci all` does; empty: nothing.
    pub(super) more: &'static str,
    pub(super) builds: Builds,
    /// About how long it takes from a fresh clone on two quiet processors beside another step: the queue begins with the long
    /// ones. In its short form, and in its whole one.
    pub(super) seconds: (u32, u32),
    pub(super) run: fn(&Form) -> Outcome,
}

/// When a step is taken.
pub(super) enum When {
    /// With every change.
    Always,
    /// With a change of one of these: a folder (`bare-metal/`) or a file by itself, a package of the workspace
    /// (`crates/block`) with all that it depends on.
    Reads(&'static [&'static str]),
}

/// Where a step builds: two that build in the same folder wait for each other's cargo.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Builds {
    /// Nothing, or in a folder of its own.
    Alone,
    /// In the workspace's target folder, once the libraries that the command carries along are there.
    Workspace,
}

use Builds::{Alone, Workspace};
use When::{Always, Reads};

/// What every kernel and firmware is built by.
const MACHINES: &str = "xtask/src/qemu";

/// In the order of the table, cheap first.
pub(super) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        what: "`cargo fmt` has nothing to change",
        when: Always,
        more: "",
        builds: Alone,
        seconds: (3, 3),
        run: |_| forms::fmt(),
    },
    Step {
        name: "clippy",
        what: "no warning in any target; the lints are in `Cargo.toml` and `clippy.toml`",
        when: Always,
        more: "",
        builds: Workspace,
        seconds: (70, 70),
        run: |_| forms::clippy(),
    },
    Step {
        name: "layers",
        what: "every crate depends only downward, is `no_std`, and leaves the operating system to `crates/source`",
        when: Always,
        more: "",
        builds: Alone,
        seconds: (1, 1),
        run: |_| forms::chore(&["layers"]),
    },
    Step {
        name: "registry",
        what: "what is written from the registry of allocators (`crates/registry`), packages and tables, agrees with it, and this \
               table with the steps",
        when: Always,
        more: "",
        builds: Alone,
        seconds: (1, 1),
        run: |_| forms::chore(&["registry"]),
    },
    Step {
        name: "paths",
        what: "every path that a document names exists",
        when: Always,
        more: "",
        builds: Alone,
        seconds: (1, 1),
        run: |_| forms::chore(&["paths"]),
    },
    Step {
        name: "deny",
        what: "every crate's licence and source is one that `deny.toml` allows",
        when: Always,
        more: "",
        builds: Alone,
        seconds: (1, 1),
        run: |_| forms::chore(&["deny"]),
    },
    Step {
        name: "doc",
        what: "the documentation builds without a warning",
        when: Always,
        more: "",
        builds: Workspace,
        seconds: (20, 20),
        run: |_| forms::doc(),
    },
    Step {
        name: "golden",
        what: "the fast paths keep to the instruction budgets of `bench/golden`",
        when: Always,
        more: "",
        builds: Workspace,
        seconds: (2, 2),
        run: |_| forms::chore(&["golden", "--check"]),
    },
    Step {
        name: "test",
        what: "`cargo test`, of the packages that the change can break",
        when: Always,
        more: "`cargo test --workspace`",
        builds: Workspace,
        seconds: (420, 420),
        run: forms::test,
    },
    Step {
        name: "dist",
        what: "a tarball of the command and the flagship works in an empty directory, without Rust",
        when: Always,
        more: "",
        builds: Workspace,
        seconds: (70, 70),
        run: |_| forms::dist(),
    },
    Step {
        name: "designs",
        what: "the C suite and the real programs on the drop-ins that `cargo test` leaves out: best, first, next and worst fit, buddy",
        when: Reads(&["crates/block/src/buddy", "crates/block/src/fit", "abi/drop-ins/"]),
        more: "",
        builds: Workspace,
        seconds: (250, 250),
        run: |_| forms::designs(),
    },
    Step {
        name: "programs",
        what: "the real programs that `cargo test` leaves out: chromium, java, cgo, php, and the project's own tests on its malloc",
        when: Reads(&["abi/", "crates/source/", "crates/thread/", "tests/"]),
        more: "",
        builds: Workspace,
        seconds: (150, 150),
        run: |_| forms::programs(),
    },
    Step {
        name: "fleet",
        what: "the queries of [traces](docs/traces.md) give the same answers in DuckDB and in Apache Spark",
        when: Reads(&[
            "docs/traces.md",
            "tools/trace/src/export",
            "tools/trace/tests/fleet.rs",
            "xtask/src/fleet.rs",
        ]),
        more: "",
        builds: Workspace,
        seconds: (120, 120),
        run: |_| forms::fleet(),
    },
    Step {
        name: "storm",
        what: "half a minute of fork, thread, limit and signal storms against the drop-in library passes",
        when: Reads(&["abi", "tests/storm/", "xtask/src/storm"]),
        more: "two minutes",
        builds: Workspace,
        seconds: (35, 130),
        run: forms::storm,
    },
    Step {
        name: "features",
        what: "what the workspace's build leaves out builds too, on this machine and for 32 bits",
        when: Reads(&["crates/heapwright", "xtask/src/features.rs"]),
        more: "",
        builds: Workspace,
        seconds: (80, 80),
        run: |_| forms::chore(&["features"]),
    },
    Step {
        name: "adding",
        what: "an allocator is added as [its page](docs/adding-an-allocator.md) says, and touches at most six files",
        when: Reads(&[
            "docs/adding-an-allocator.md",
            "crates/registry/",
            "crates/block/",
            "crates/malloc/",
            "testkit/",
            "xtask/src/adding.rs",
            "xtask/src/rows.rs",
        ]),
        more: "",
        builds: Alone,
        seconds: (100, 100),
        run: |_| forms::chore(&["adding"]),
    },
    Step {
        name: "blocks",
        what: "the comparison of block allocators runs, and memories get as full as they should",
        when: Reads(&["bench/blocks"]),
        more: "",
        builds: Workspace,
        seconds: (60, 60),
        run: |_| forms::blocks(),
    },
    Step {
        name: "fuzz",
        what: "the fuzz targets find nothing in the inputs of `fuzz/seeds` and a fixed number of others",
        when: Reads(&["fuzz/", "testkit", "crates/malloc", "tools/trace", "xtask/src/fuzz.rs"]),
        more: "",
        builds: Alone,
        seconds: (70, 70),
        run: |_| forms::chore(&["fuzz"]),
    },
    Step {
        name: "loom",
        what: "the models of `model` hold in every interleaving",
        when: Reads(&["model"]),
        more: "",
        builds: Alone,
        seconds: (60, 60),
        run: |_| forms::loom(),
    },
    Step {
        name: "qemu",
        what: "the kernels of `bare-metal` boot and pass on a 64-bit and a 32-bit machine; where QEMU is installed",
        when: Reads(&[
            "bare-metal/",
            "crates/block",
            "crates/kernel",
            "testkit/bodies",
            "bench/golden/icount.toml",
            MACHINES,
        ]),
        more: "six machines",
        builds: Alone,
        seconds: (70, 200),
        run: forms::qemu,
    },
    Step {
        name: "wcet",
        what: "the longest paths keep to their bounds, and TLSF's have no loop",
        when: Reads(&[
            "bare-metal/",
            "crates/block",
            "crates/kernel",
            "bench/golden/wcet.toml",
            "bench/golden/icount.toml",
            MACHINES,
            "xtask/src/wcet",
        ]),
        more: "",
        builds: Alone,
        seconds: (50, 50),
        run: |_| forms::wcet(),
    },
    Step {
        name: "size",
        what: "the allocators in firmware have not grown, on thumbv7em and riscv64gc",
        when: Reads(&[
            "bare-metal/",
            "crates/block",
            "crates/kernel",
            "bench/golden/size.toml",
            MACHINES,
            "xtask/src/size",
        ]),
        more: "",
        builds: Alone,
        seconds: (70, 70),
        run: |_| {
            forms::chore(&["size", "--check", "--target", "thumbv7em", "--target", "riscv64gc"])
        },
    },
    Step {
        name: "firmware",
        what: "the block allocators' C library works on bare machines",
        when: Reads(&[
            "abi/block",
            "abi/include/",
            "bare-metal/machine/",
            MACHINES,
            "xtask/src/firmware",
        ]),
        more: "",
        builds: Alone,
        seconds: (70, 70),
        run: |_| forms::firmware(),
    },
    Step {
        name: "compat",
        what: "crates that use others' allocators run on ours",
        when: Reads(&[
            "compat/",
            "compat/axallocator/README.md",
            "compat/rlsf/README.md",
            "bare-metal/machine/",
            "crates/block",
            "crates/kernel",
            MACHINES,
            "xtask/src/compat.rs",
        ]),
        more: "",
        builds: Alone,
        seconds: (60, 60),
        run: |_| forms::compat(),
    },
    Step {
        name: "arceos",
        what: "ArceOS boots on our TLSF and is no slower than on its own",
        when: Reads(&[
            "bare-metal/arceos/",
            "compat/axallocator/",
            "testkit/bodies",
            "crates/block",
            "crates/kernel",
            MACHINES,
            "xtask/src/arceos",
        ]),
        more: "",
        builds: Alone,
        seconds: (80, 80),
        run: |_| forms::arceos(),
    },
    Step {
        name: "port",
        what: "the C suite but for its longest programs passes on musl",
        when: Reads(&["abi", "tests/misuse/", "tools/record/tests", MACHINES, "xtask/src/port"]),
        more: "a part of it, the recorder and python3 on aarch64 in qemu-user; `cargo xtask port` runs all of it there",
        builds: Alone,
        seconds: (90, 180),
        run: forms::port,
    },
];

/// The steps as CONTRIBUTING.md has them.
pub(crate) fn table() -> String {
    let mut table = String::from(
        "| step | what it checks | taken with | `ci all` does more |\n|---|---|---|---|\n",
    );
    for Step { name, what, when, more, .. } in STEPS {
        let when = match when {
            Always => "every change".to_owned(),
            Reads(paths) => {
                paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(" ")
            }
        };
        table += &format!("| `{name}` | {what} | {when} | {more} |\n");
    }
    table
}
