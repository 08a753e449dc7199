//! The link arguments of the shared library.
#![expect(clippy::disallowed_macros, reason = "a build script speaks to cargo by println")]

fn main() {
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libheapwright-record.so");
    // The wrappers are in every other library's tables: it is never unloaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
