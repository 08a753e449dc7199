//! The linker script that the OS writes while it is built; `cargo xtask arceos` says where.

const SCRIPT: &str = "ARCEOS_LINKER_SCRIPT";

fn main() {
    println!("cargo::rerun-if-env-changed={SCRIPT}");
    let Ok(script) = std::env::var(SCRIPT) else { return };
    for argument in [&format!("-T{script}"), "-no-pie", "-znostart-stop-gc"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
