//! A Rust program that profiles itself: the example of `crates/heapwright`, with and without a loader.
#![cfg(target_arch = "x86_64")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use profile::{Cost, Profile, gather, sites};
use tempfile::TempDir;
use trace::Trace;

/// The example, built for this test: what another package's examples are, cargo does not build for us.
fn example(flags: &[&str]) -> PathBuf {
    let test = env::current_exe().unwrap();
    let built = test.ancestors().nth(2).unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["rustc", "--quiet", "--package", "heapwright", "--features", "profile"]);
    cargo.args(["--example", "profiled", "--target-dir"]).arg(target).arg("--").args(flags);
    assert!(cargo.status().unwrap().success(), "the example does not build");
    let folder = target.join(if built.starts_with(target) { "debug" } else { "." });
    folder.join("examples/profiled")
}

/// Runs it; the folder of what it leaves.
fn ran(program: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("timeout");
    let output = command.args(["-sKILL", "100"]).arg(program).arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    folder
}

/// What a function holds or has allocated, divided by the truth; and by how much that may be more or less.
fn share(profile: &Profile, function: &str, cost: Cost, truth: f64) -> (f64, f64) {
    let sites = sites(profile, cost);
    let site = sites.iter().find(|site| site.function.contains(function));
    let sum = *site.unwrap_or_else(|| panic!("no {function}: {sites:?}")).costs.of(cost);
    (sum.bytes / truth, 3.0 * sum.margin() / truth)
}

fn check(folder: &Path) {
    let of = |file: &Path| gather(&Trace::open(file).unwrap(), None).unwrap();
    let by_then = of(&folder.join("now.chunks"));
    let mut chunks = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let whole = chunks.find(|path| {
        path.extension().is_some_and(|end| end == "chunks") && !path.ends_with("now.chunks")
    });
    let whole = of(&whole.expect("the profile"));
    let near = |(is, margin): (f64, f64)| (is - 1.0).abs() <= margin.max(0.1);
    let kept = 4000.0 * 4096.0;
    for profile in [&by_then, &whole] {
        assert_eq!(profile.interval, 16 << 10);
        assert!(near(share(profile, "cache", Cost::Live, kept)), "{profile:?}");
        let passed = (50_000.0 / 10_000.0) * (10_000.0 * 9_999.0 / 2.0);
        assert!(near(share(profile, "requests", Cost::Allocated, passed)), "{profile:?}");
    }
    // The log grew in another thread, and behind the copy; it was given back when its thread had ended, and lives.
    assert!(sites(&whole, Cost::Allocated).iter().any(|site| site.function.contains("log")));
    assert!(!sites(&by_then, Cost::Allocated).iter().any(|site| site.function.contains("log")));
    let missing = whole.missing.join(" ");
    assert!(missing.contains("the program ended it") && by_then.missing.is_empty(), "{missing}");
}

#[test]
fn a_rust_program_profiles_itself() {
    check(ran(&example(&[])).path());
}

#[test]
fn so_does_a_static_one() {
    let program = example(&["-C", "target-feature=+crt-static", "-C", "extra-filename=-static"]);
    let program = program.with_file_name("profiled-static");
    check(ran(&program).path());
}
