//! The soname of a shared library, the same when cargo builds it and when it is installed: `libNAME.so.MAJOR`.
//!
//! A program that was linked to one finds the other. Cargo names the file without a version, so that a link by the
//! soname stands beside it: what is linked with `-Ltarget/release` starts with `-rpath target/release`.

use std::env;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::Path;

/// Gives the library that cargo builds as `file` the soname of `name`.
pub(crate) fn set(name: &str, file: &str) {
    let major = env::var("CARGO_PKG_VERSION_MAJOR").unwrap_or_default();
    let soname = format!("{name}.so.{major}");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,{soname}");
    // target/release/build/PACKAGE/out, of which the first two are where the library will be.
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    let Some(folder) = Path::new(&out).ancestors().nth(3) else { return };
    match symlink(file, folder.join(&soname)) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            println!("cargo::warning=no link {soname} in {}: {error}", folder.display());
        }
        _ => {}
    }
}
