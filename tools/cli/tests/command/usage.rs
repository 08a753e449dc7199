//! Help, wrong usage, completions and manual pages.

use std::fs;

use crate::common::{exits, has, heapwright, ours, outcome, prints};

const COMMANDS: [&str; 9] =
    ["run", "bench", "view", "export", "import", "list", "doctor", "completions", "man"];

#[test]
fn help_names_every_command_and_shows_examples() {
    let (out, _) = exits(0, ours(["--help"]));
    for command in COMMANDS {
        assert!(out.contains(&format!("\n  {command} ")), "{command} is missing in {out}");
    }
    assert!(out.contains("heapwright run -- python3 app.py"));
}

#[test]
fn every_command_has_help_with_examples() {
    for command in COMMANDS {
        let (out, _) = exits(0, ours([command, "--help"]));
        assert!(out.contains("Examples:\n  heapwright "), "{command}: {out}");
        assert!(out.lines().all(|l| l.chars().count() <= 120), "{command}: a line is too long");
    }
}

#[test]
fn short_help_of_run_fits_a_screen_and_long_help_says_the_rest() {
    let of = |flag: &str| ours(["run", flag]).0;
    let (short, long) = (of("-h"), of("--help"));
    assert!(short.lines().count() <= 45, "{short}");
    assert!(short.contains("Examples:") && !short.contains("LD_PRELOAD stays there"), "{short}");
    assert!(long.contains("LD_PRELOAD stays there") && long.contains("%p is"), "{long}");
}

#[test]
fn one_letter_asks_for_less() {
    for command in [&["bench"][..], &["list"], &["compare"], &[]] {
        let lines = |flag: &str| {
            let (out, _) = exits(0, outcome(heapwright().args(command).arg(flag)));
            (out.lines().count(), out)
        };
        let ((brief, text), (whole, _)) = (lines("-h"), lines("--help"));
        assert!(2 * brief < whole + 20 && brief <= 60, "{command:?}: {brief} of {whole}\n{text}");
        assert!(text.contains("--help has all of it"), "{command:?}");
    }
}

#[test]
fn short_help_names_every_value_and_fits_80_columns() {
    let short = |args: &[&str]| outcome(heapwright().env("COLUMNS", "80").args(args)).0;
    for (command, values) in [
        ("record", "recorded: all, none, or exec"),
        ("profile", "begin with: peak, live, allocated or temporary"),
        ("export", "what counts: peak, live, allocated or temporary"),
        ("replay", "made: causal, serial or timed"),
        ("replay", "touched: recorded, pages or none"),
    ] {
        let words = short(&[command, "-h"]).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(values), "{command}: {words}");
    }
    let text = short(&["-h"]);
    let examples = text.lines().skip_while(|line| *line != "Examples:").skip(1);
    let examples: Vec<&str> = examples.take_while(|line| !line.is_empty()).collect();
    let is_whole = |line: &&str| line.starts_with("  heapwright ");
    assert!(!examples.is_empty() && examples.iter().all(is_whole), "one is wrapped: {text}");
}

#[test]
fn wrong_usage_is_2() {
    for args in [
        &[][..],
        &["nonsense"],
        &["run"],
        &["run", "--nonsense", "--", "true"],
        &["run", "--format", "json", "--", "true"],
        &["run", "--set", "nonsense", "--", "true"],
        &["bench", "--rounds", "0", "--", "true"],
        &["bench", "--time", "soon", "--", "true"],
        &["bench", "--strict", "--", "true"],
        &["completions", "nonsense"],
    ] {
        let (_, err) = exits(2, ours(args));
        assert!(!err.is_empty(), "{args:?}");
    }
}

#[test]
fn the_version_is_told() {
    let (out, _, code) = ours(["--version"]);
    assert_eq!((out.trim(), code), (concat!("heapwright ", env!("CARGO_PKG_VERSION")), Some(0)));
}

#[test]
fn completions_for_the_usual_shells() {
    for shell in ["bash", "zsh", "fish", "elvish"] {
        let (out, _) = exits(0, ours(["completions", shell]));
        assert!(out.contains("heapwright") && out.contains("doctor"), "{shell}");
        assert!(out.contains("larson"), "{shell}: workloads are completed");
        // It completes no values of flags.
        let has_values = out.contains("worst-fit") && out.contains("mimalloc");
        assert!(shell == "elvish" || has_values, "{shell}: allocators are");
    }
}

#[test]
fn manual_pages() {
    prints(0, ours(["man"]), &[".TH heapwright 1"]);
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("new/man1");
    exits(0, run!["man", "-o", &target]);
    for command in COMMANDS {
        let page = fs::read_to_string(target.join(format!("heapwright-{command}.1"))).unwrap();
        has(&page, &[".SH EXAMPLES", ".SH ENVIRONMENT", "LD_PRELOAD"]);
    }
    let help = fs::read_dir(&target).unwrap().flatten();
    let help = help.filter(|f| f.file_name().to_string_lossy().contains("-help")).count();
    assert_eq!(help, 0, "help has --help");
}

#[test]
fn colours_only_when_asked_for() {
    let escape = |args: &[&str]| ours(args).1.contains('\x1b');
    assert!(!escape(&["run", "--", "/no/such"]));
    assert!(escape(&["--color", "always", "run", "--", "/no/such"]));
    assert!(!escape(&["--color", "never", "run", "--", "/no/such"]));
}
