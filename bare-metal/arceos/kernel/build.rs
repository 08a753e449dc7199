//! The test in C, compiled; and the linker script that the OS writes while it is built: `cargo xtask arceos` says where.

use std::path::Path;
use std::process::Command;

const SCRIPT: &str = "ARCEOS_LINKER_SCRIPT";
const COMPILER: &str = "riscv64-unknown-elf-gcc";
const SOURCE: &str = "c/memtest.c";
/// As the kernel itself is compiled, and no call of malloc is left out.
const FLAGS: [&str; 7] = [
    "-c",
    "-O2",
    "-ffreestanding",
    "-fno-builtin",
    "-mcmodel=medany",
    "-march=rv64gc",
    "-mabi=lp64d",
];

fn main() {
    println!("cargo::rerun-if-env-changed={SCRIPT}");
    println!("cargo::rerun-if-changed={SOURCE}");
    let Ok(script) = std::env::var(SCRIPT) else { return };
    let Ok(out) = std::env::var("OUT_DIR") else { return };
    let object = Path::new(&out).join("memtest.o");
    let compiled = Command::new(COMPILER).args(FLAGS).arg(SOURCE).arg("-o").arg(&object).status();
    if !compiled.is_ok_and(|status| status.success()) {
        println!("cargo::error={COMPILER} did not compile {SOURCE}");
    }
    println!("cargo::rustc-link-arg-bins={}", object.display());
    for argument in [&format!("-T{script}"), "-no-pie", "-znostart-stop-gc"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
