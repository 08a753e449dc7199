//! The build script of every kernel: picks the linker script of its machine.

use std::path::Path;

fn main() {
    let arch = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let script = match arch.as_str() {
        "riscv64" | "riscv32" => "riscv.ld",
        "arm" => "cortex-m.ld",
        "x86_64" => "x86_64.ld",
        // The library says which machines there are.
        _ => return,
    };
    let package = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let script = Path::new(&package).join("../machine/link").join(script);
    println!("cargo::rustc-link-arg-bins=-T{}", script.display());
    println!("cargo::rerun-if-changed={}", script.display());
}
