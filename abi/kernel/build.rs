//! The link arguments of the shared library.
#![expect(clippy::disallowed_macros, reason = "a build script speaks to cargo by println")]

/// The version behind the soname, for libraries that are installed.
const SONAME_VERSION: &str = "HEAPWRIGHT_SONAME_VERSION";

fn main() {
    println!("cargo::rerun-if-env-changed={SONAME_VERSION}");
    let version = std::env::var(SONAME_VERSION).map_or_else(|_| String::new(), |v| format!(".{v}"));
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libheapwright_kernel.so{version}");
    // What runs around a fork points into the library: it is never unloaded.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
