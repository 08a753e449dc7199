//! The heap of the package that is built, and the link arguments of its shared library.
#![expect(clippy::disallowed_macros, reason = "a build script speaks to cargo by println")]

#[path = "soname.rs"]
mod soname;

use std::env;

/// The heap of the package `heapwright-abi`; `heapwright-abi-NAME` has another, of the registry.
const FLAGSHIP: &str = "flagship";

fn main() {
    let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
    let name = package.strip_prefix("heapwright-abi-");
    println!("cargo::rustc-cfg=heap={:?}", name.unwrap_or(FLAGSHIP));
    let heaps: Vec<String> =
        [FLAGSHIP].into_iter().chain(registry::mallocs()).map(|heap| format!("{heap:?}")).collect();
    println!("cargo::rustc-check-cfg=cfg(heap, values({}))", heaps.join(", "));
    let suffix = name.map_or_else(String::new, |name| format!("-{name}"));
    let file = format!("libheapwright{suffix}.so").replace('-', "_");
    soname::set(&format!("libheapwright{suffix}"), &file);
    // The magazines of running threads point into the library: it is never unloaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Our handlers of fork come before those that any other library registers.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,initfirst");
    println!("cargo::rerun-if-changed=build.rs");
}
