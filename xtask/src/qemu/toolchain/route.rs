//! Which toolchain builds for a target: the first route that is open.

use super::{Target, debian};
use crate::peers::output;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// A cargo, a rustc, and what to give them.
#[derive(Debug, Clone)]
pub(super) struct Route {
    pub(super) cargo: PathBuf,
    pub(super) rustc: PathBuf,
    pub(super) linker: PathBuf,
    pub(super) args: &'static [&'static str],
    pub(super) env: Vec<(&'static str, OsString)>,
}

/// Core and alloc out of their sources. Then the memory functions, where there is no libc to have them from.
const BUILD_STD: &[&str] =
    &["-Zbuild-std=core,alloc,compiler_builtins", "-Zbuild-std-features=compiler-builtins-mem"];

struct Installed {
    sysroot: PathBuf,
    rustc: PathBuf,
}

impl Installed {
    /// Whether it is of a day and not of a release; what does not say is of a release.
    fn is_nightly(&self) -> bool {
        output(Command::new(&self.rustc).arg("--version"))
            .is_ok_and(|said| said.contains("nightly"))
    }
}

/// The route for `target`, with a nightly compiler only where `nightly_too`. Unpacks Debian's compiler the first time that
/// nothing else is left.
pub(super) fn find(target: Target, nightly_too: bool) -> Result<Route, String> {
    let triple = target.triple;
    // One at a time: two threads would unpack the same compiler.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let at_hand = at_hand()?;
    let cargo = std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
    let linker = match target.cc {
        Some(cc) => PathBuf::from(cc),
        None => linker([Some(at_hand.sysroot.as_path()), cargo.ancestors().nth(2)])?,
    };
    let from_sources = if target.cc.is_some() { &BUILD_STD[..1] } else { BUILD_STD };
    let bootstrap = ("RUSTC_BOOTSTRAP", OsString::from("1"));
    let wanted = |toolchain: &Installed| nightly_too || !toolchain.is_nightly();
    if wanted(&at_hand) && has_target(&at_hand.sysroot, triple) {
        let rustc = at_hand.rustc;
        let env = if nightly_too { Vec::new() } else { vec![bootstrap] };
        return Ok(Route { cargo, rustc, linker, args: &[], env });
    }
    for toolchain in [Some(at_hand), nightly()].into_iter().flatten().filter(wanted) {
        if has_sources(&toolchain.sysroot) {
            let own = toolchain.sysroot.join("bin/cargo");
            let cargo = if own.exists() { own } else { cargo };
            let rustc = toolchain.rustc;
            return Ok(Route { cargo, rustc, linker, args: from_sources, env: vec![bootstrap] });
        }
    }
    let unpacked = debian::unpacked().map_err(|why| {
        format!(
            "nothing here can build for {triple}: the target is not installed, no toolchain has rust-src, and Debian's \
             compiler could not be had: {why}. Either of `rustup target add {triple}` and a machine with apt-get will do"
        )
    })?;
    let rustc = unpacked.join("usr/bin/rustc");
    let libraries = ("LD_LIBRARY_PATH", debian::libraries(&unpacked).into_os_string());
    Ok(Route { cargo, rustc, linker, args: from_sources, env: vec![bootstrap, libraries] })
}

/// The compiler that cargo would take.
fn at_hand() -> Result<Installed, String> {
    let rustc = std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let sysroot = PathBuf::from(output(Command::new(&rustc).args(["--print", "sysroot"]))?.trim());
    let own = sysroot.join("bin/rustc");
    Ok(Installed { rustc: if own.exists() { own } else { rustc }, sysroot })
}

fn nightly() -> Option<Installed> {
    let mut which = Command::new("rustup");
    which.args(["which", "--toolchain", "nightly", "rustc"]);
    let rustc = PathBuf::from(output(&mut which).ok()?.trim());
    let sysroot = rustc.parent()?.parent()?.to_owned();
    Some(Installed { sysroot, rustc })
}

fn has_target(sysroot: &Path, triple: &str) -> bool {
    let library = sysroot.join("lib/rustlib").join(triple).join("lib");
    library.read_dir().is_ok_and(|mut files| files.next().is_some())
}

fn has_sources(sysroot: &Path) -> bool {
    sysroot.join("lib/rustlib/src/rust/library/Cargo.lock").exists()
}

/// The `rust-lld` of the compiler's toolchain or of cargo's, or the system's lld.
fn linker(sysroots: [Option<&Path>; 2]) -> Result<PathBuf, String> {
    let hosts =
        sysroots.into_iter().flatten().filter_map(|at| at.join("lib/rustlib").read_dir().ok());
    let mut own = hosts.flatten().flatten().map(|host| host.path().join("bin/rust-lld"));
    if let Some(lld) = own.find(|lld| lld.exists()) {
        return Ok(lld);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut system = std::env::split_paths(&path).map(|folder| folder.join("ld.lld"));
    system.find(|lld| lld.exists()).ok_or_else(|| {
        "there is no linker: the toolchain has no rust-lld and no ld.lld is on the path (install lld)".to_owned()
    })
}
