//! Link arguments of the shared library.
#![expect(clippy::disallowed_macros, reason = "a build script speaks to cargo by println")]

fn main() {
    // The magazines of running threads point into the library: it is never unloaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libheapwright.so");
    println!("cargo::rerun-if-changed=build.rs");
}
