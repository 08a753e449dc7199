//! Where the library under test is: built by cargo for the profile of this test, or named by `HEAPWRIGHT_SO`.
//!
//! cargo builds no cdylib for an integration test (nothing can link it), so the first test that asks for it has it built.
use std::{
    env,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use crate::build::build;

/// The shared library, built if need be.
pub(crate) fn shared() -> &'static Path {
    static SHARED: OnceLock<PathBuf> = OnceLock::new();
    SHARED.get_or_init(|| match env::var_os("HEAPWRIGHT_SO") {
        Some(path) => {
            PathBuf::from(path).canonicalize().expect("HEAPWRIGHT_SO names a library that exists")
        }
        None => build(env!("CARGO_PKG_NAME"), "").join("libheapwright.so"),
    })
}

/// The drop-in library of a classic design, built if need be.
pub(crate) fn drop_in(name: &str) -> PathBuf {
    let file = format!("libheapwright_{}.so", name.replace('-', "_"));
    build(&format!("{}-{name}", env!("CARGO_PKG_NAME")), "").join(file)
}

/// The static library, built if need be; it lies beside the shared one.
pub(crate) fn archive() -> PathBuf {
    shared().with_extension("a")
}
