//! The Debian package: what the tarball has, under /usr, packed by `dpkg-deb`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files;
use crate::peers::output;

/// The loader learns of the libraries as soon as they are there.
const TRIGGERS: &str = "activate-noawait ldconfig\n";

/// Packs `dist/root`; none where `dpkg-deb` is not installed.
pub(super) fn pack(dist: &Path, version: &str) -> Result<Option<PathBuf>, String> {
    let Ok(architecture) = output(Command::new("dpkg").arg("--print-architecture")) else {
        return Ok(None);
    };
    let stage = dist.join("deb");
    let _ = fs::remove_dir_all(&stage);
    files::folder(&stage.join("DEBIAN"))?;
    output(Command::new("cp").arg("-a").arg(dist.join("root")).arg(stage.join("usr")))?;
    // `glibc 2.36`: the package runs on no older one.
    let glibc = output(Command::new("getconf").arg("GNU_LIBC_VERSION"))?;
    let glibc = glibc.trim().trim_start_matches("glibc ");
    let control = control(version, architecture.trim(), glibc);
    files::write(&stage.join("DEBIAN/control"), control)?;
    files::write(&stage.join("DEBIAN/triggers"), TRIGGERS)?;
    let package = dist.join(format!("heapwright_{version}_{}.deb", architecture.trim()));
    let mut dpkg = Command::new("dpkg-deb");
    dpkg.env("SOURCE_DATE_EPOCH", "0").args(["--root-owner-group", "-Zgzip", "--build"]);
    output(dpkg.arg(&stage).arg(&package))?;
    Ok(Some(package))
}

fn control(version: &str, architecture: &str, glibc: &str) -> String {
    format!(
        "Package: heapwright\n\
         Version: {version}\n\
         Architecture: {architecture}\n\
         Maintainer: {}\n\
         Section: devel\n\
         Priority: optional\n\
         Depends: libc6 (>= {glibc})\n\
         Homepage: https://github.com/heapwright/heapwright\n\
         Description: malloc for whole programs, and a workbench that compares mallocs\n \
         A malloc for C, C++ and Rust programs that is put under any of them with\n \
         LD_PRELOAD, and a command that runs, measures and compares the allocators of\n \
         a machine on programs.\n",
        env!("CARGO_PKG_AUTHORS")
    )
}
