//! Figures of `bench` for three public workloads are those of hyperfine, within the intervals that both state. How the two are
//! compared, and when they are measured again, is said in `xtask/src/agree.rs`.

use std::path::Path;
use std::process::Command;

#[test]
fn public_workloads_take_as_long_under_hyperfine() {
    if Command::new("hyperfine").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "hyperfine is not installed");
        eprintln!("skipped: hyperfine is not installed");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "xtask", "--", "agree", "--quick", "--heapwright"])
        .arg(env!("CARGO_BIN_EXE_heapwright"))
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .env_remove("LD_PRELOAD")
        .current_dir(root)
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    println!("{out}");
    assert!(output.status.success(), "{out}\n{err}");
    assert!(out.matches("| yes").count() >= 3, "{out}");
}
