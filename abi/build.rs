//! Link arguments of the shared library.

fn main() {
    // The magazines of running threads point into the library: it is never unloaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libheapwright.so");
    println!("cargo::rerun-if-changed=build.rs");
}
