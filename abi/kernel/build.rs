//! The link arguments of the shared library.
#![expect(clippy::disallowed_macros, reason = "a build script speaks to cargo by println")]

#[path = "../soname.rs"]
mod soname;

fn main() {
    soname::set("libheapwright_kernel", "libheapwright_kernel.so");
    // What runs around a fork points into the library: it is never unloaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
