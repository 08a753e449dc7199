//! Debian's Rust compiler and the sources of its libraries, unpacked and not installed.
//!
//! `rustc-web` is the newest compiler of a stable Debian, the one its browsers are built with.

use crate::files;
use crate::peers::output;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler, the host's libraries for it, and the sources of core and alloc.
const PACKAGES: [&str; 3] = ["rustc-web", "libstd-rust-web-dev", "rust-web-src"];

/// The folder in which the compiler is `usr/bin/rustc`; downloads and unpacks it the first time.
/// Errors: there is no apt-get, or no such package, or no network.
pub(super) fn unpacked() -> Result<PathBuf, String> {
    let at = super::folder().join("toolchain");
    if at.join("usr/bin/rustc").exists() {
        return Ok(at);
    }
    if let Err(why) = output(Command::new("apt-get").arg("--version")) {
        return Err(format!("there is no apt-get here ({why})"));
    }
    // Aside first, then renamed: what was interrupted is not taken for a compiler.
    let aside = super::folder().join(format!("toolchain-{}", std::process::id()));
    let result = fill(&aside);
    if result.is_ok() && fs::rename(&aside, &at).is_err() && !at.join("usr/bin/rustc").exists() {
        return Err(format!("{} cannot be renamed to {}", aside.display(), at.display()));
    }
    // Absent once renamed; then there is nothing to remove.
    let _ = fs::remove_dir_all(&aside);
    result.map(|()| at)
}

/// Where the compiler's own shared libraries are.
pub(super) fn libraries(unpacked: &Path) -> PathBuf {
    unpacked.join("usr/lib").join(format!("{}-linux-gnu", std::env::consts::ARCH))
}

fn fill(folder: &Path) -> Result<(), String> {
    let downloads = folder.join("downloads");
    files::folder(&downloads)?;
    eprintln!(
        "qemu: the target is not installed: unpacking Debian's compiler into {} (140 MB to load, once)",
        super::folder().display()
    );
    let names = match missing() {
        Ok(names) => names,
        // A fresh machine has no package lists yet.
        Err(_) => {
            output(Command::new("apt-get").args(["update", "-qq"])).and_then(|_| missing())?
        }
    };
    let mut apt = Command::new("apt-get");
    apt.args(["download", "-qq", "-o", "APT::Sandbox::User=root"]).args(&names);
    output(apt.current_dir(&downloads))?;
    for package in files::list(&downloads)? {
        output(Command::new("dpkg-deb").arg("-x").arg(package).arg(folder))?;
    }
    fs::remove_dir_all(&downloads).map_err(files::said(&downloads))
}

/// The packages that installing the compiler would bring: it, and what it needs and is not there yet.
fn missing() -> Result<Vec<String>, String> {
    let mut apt = Command::new("apt-get");
    apt.args(["install", "-qq", "--print-uris", "--no-install-recommends"]).args(PACKAGES);
    let mut names = names(&output(&mut apt)?);
    names.extend(PACKAGES.map(str::to_owned));
    names.sort();
    names.dedup();
    Ok(names)
}

/// `'http://…' libllvm22_22.1.8_amd64.deb 29378692 …` gives `libllvm22`.
pub(crate) fn names(uris: &str) -> Vec<String> {
    let files = uris.lines().filter_map(|line| line.split_whitespace().nth(1));
    files.filter_map(|file| file.split_once('_')).map(|(name, _)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_package_is_named_by_its_file() {
        let uris = "'http://host/pool/libllvm22_22.1.8-1%7edeb12u1_amd64.deb' libllvm22_1%3a22.1.8-1~deb12u1_amd64.deb \
                    29378692 SHA256:0\n\
                    'http://host/pool/rustc-web_1.96.0_amd64.deb' rustc-web_1.96.0_amd64.deb 4450500 SHA256:0\n";
        assert_eq!(names(uris), ["libllvm22", "rustc-web"]);
    }
}
