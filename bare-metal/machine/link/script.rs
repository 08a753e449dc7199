//! The build script of every kernel: picks the linker script of its machine.

use std::path::Path;

/// Programs that are never run: any machine's.
const UNRUN: [&str; 2] = ["probe", "size"];

fn main() {
    let [package, folder, arch] = ["CARGO_PKG_NAME", "CARGO_MANIFEST_DIR", "CARGO_CFG_TARGET_ARCH"]
        .map(|name| std::env::var(name).unwrap_or_default());
    let script = match arch.as_str() {
        _ if UNRUN.contains(&&*package) => "unrun.ld",
        "riscv64" | "riscv32" => "riscv.ld",
        "arm" => "cortex-m.ld",
        "x86_64" => "x86_64.ld",
        // The library says which machines there are.
        _ => return,
    };
    // From here, and from the workspace `compat`.
    let places = ["../machine/link", "../../bare-metal/machine/link"];
    let scripts = places.map(|place| Path::new(&folder).join(place).join(script));
    let Some(script) = scripts.iter().find(|script| script.exists()) else { return };
    println!("cargo::rustc-link-arg-bins=-T{}", script.display());
    println!("cargo::rerun-if-changed={}", script.display());
}
