//! python3 for aarch64, with the library preloaded, in the emulator: Debian's, unpacked in the target folder and not installed.

use crate::files;
use crate::peers::{output, root as workspace};
use crate::qemu::toolchain;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What it works on; its output is the same every time.
const SCRIPT: &str = include_str!("script.py");

/// Runs the script on either malloc, the interpreter's own pools left out; what is wrong, if anything is. The emulated
/// system has all its addresses here, so the library takes the region that it takes on a processor. Moving pages is refused, as
/// for the programs in C: qemu-user 7.2 takes the place they came from for unmapped (docs/porting.md).
/// Errors: the outputs differ, a run failed, the library was not loaded, the filter cannot be built, or there is no
/// python3 to be had.
pub(super) fn same_on_both(emulator: &str, library: &Path) -> Result<(), String> {
    let root = unpacked()?;
    let refuse = filter()?;
    let script = root.join("script.py");
    files::write(&script, SCRIPT)?;
    let run = |own: bool| -> Result<(String, String), String> {
        let mut python = Command::new(&refuse);
        // 22: EINVAL.
        python.args(["22", "move", "--", emulator]).arg("-L").arg(&root).env_remove("LD_PRELOAD");
        python.arg("-E").arg(format!("PYTHONHOME={}", root.join("usr").display()));
        python.args(["-E", "PYTHONMALLOC=malloc"]);
        if own {
            python.arg("-E").arg(format!("LD_PRELOAD={}", library.display()));
            // Proves that it was loaded.
            python.args(["-E", "HEAPWRIGHT=stats=1"]);
        }
        python.arg(root.join("usr/bin/python3")).args(["-B", "-s"]).arg(&script);
        let out = python.stdin(Stdio::null()).output();
        let out = out.map_err(|e| format!("{emulator} did not start: {e}"))?;
        let [stdout, stderr] =
            [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        if out.status.success() {
            Ok((stdout, stderr))
        } else {
            Err(format!("{python:?}: {}\n{stderr}", out.status))
        }
    };
    let (plain, _) = run(false)?;
    let (ours, said) = run(true)?;
    if !said.contains("heapwright") {
        return Err(format!("the library was not loaded:\n{said}"));
    }
    if plain == ours && !plain.is_empty() {
        return Ok(());
    }
    Err(format!("the outputs differ:\n{plain}\nwith the library:\n{ours}"))
}

/// The program that starts another under a kernel that refuses calls, built for this machine.
fn filter() -> Result<PathBuf, String> {
    let built = toolchain::folder().join("refuse");
    let source = workspace().join("abi/tests/c/launch/refuse.c");
    output(Command::new("cc").arg("-o").arg(&built).arg(source))?;
    Ok(built)
}

/// The folder that python3 and its libraries are in as if it were `/`; downloads and unpacks them the first time.
fn unpacked() -> Result<PathBuf, String> {
    let folder = toolchain::folder().join("python-aarch64");
    if folder.join("usr/bin/python3").exists() {
        return Ok(folder);
    }
    // Aside first, then renamed: what was interrupted is not taken for python3.
    let aside = toolchain::folder().join(format!("python-aarch64-{}", std::process::id()));
    let result = fill(&aside);
    let renamed = result.and_then(|()| fs::rename(&aside, &folder).map_err(files::said(&aside)));
    // Absent once renamed; then there is nothing to remove.
    let _ = fs::remove_dir_all(&aside);
    renamed.map(|()| folder)
}

/// apt-get with package lists of its own: this machine's neither know arm64 nor learn of it.
fn fill(folder: &Path) -> Result<(), String> {
    let apt = folder.join("apt");
    let downloads = apt.join("downloads");
    for folder in [&downloads, &apt.join("lists/partial"), &apt.join("cache/archives/partial")] {
        files::folder(folder)?;
    }
    let status = apt.join("status");
    files::write(&status, "")?;
    let get = || {
        let mut get = Command::new("apt-get");
        get.args(["-qq", "-o", "APT::Architecture=arm64", "-o", "APT::Architectures=arm64"]);
        get.args(["-o", "APT::Sandbox::User=root", "-o", "Acquire::Languages=none"]);
        for (name, path) in [
            ("Dir::State", &apt),
            ("Dir::State::Lists", &apt.join("lists")),
            ("Dir::State::status", &status),
            ("Dir::Cache", &apt.join("cache")),
        ] {
            get.arg("-o").arg(format!("{name}={}", path.display()));
        }
        get.current_dir(&downloads);
        get
    };
    output(get().arg("update"))?;
    let plan = ["install", "--print-uris", "--no-install-recommends", "python3"];
    let names = toolchain::package_names(&output(get().args(plan))?);
    output(get().arg("download").args(&names))?;
    for package in files::list(&downloads)? {
        output(Command::new("dpkg-deb").arg("-x").arg(package).arg(folder))?;
    }
    fs::remove_dir_all(&apt).map_err(files::said(&apt))
}
