//! php, which opens each of its modules with `RTLD_DEEPBIND`: in these, the names of libc come before those of a
//! preloaded library.

use heapwright_tests::{Malloc, Program, missing, need, same_on_both};
use std::path::{Path, PathBuf};

/// Modules of Debian that bring a library with them; the script has something to do for each.
const MODULES: &str = "PDO pdo_sqlite pdo_mysql mysqli pgsql dom SimpleXML mbstring intl gd curl";

fn need_php() -> Option<PathBuf> {
    let php = need("php")?;
    let listed = Program::new(&php).arg("-m").run(Malloc::Plain).expect_success("php -m").stdout;
    let lacking: Vec<&str> = MODULES
        .split_whitespace()
        .filter(|module| !listed.lines().any(|line| line == *module))
        .collect();
    if lacking.is_empty() {
        return Some(php);
    }
    missing(&format!("of php: {}", lacking.join(", ")));
    None
}

fn compare(php: &Path, what: &str, arguments: &[&str], script: &str) -> String {
    let program = || Program::new(php).args(arguments).input(script);
    same_on_both(what, program).stdout
}

#[test]
#[ignore = "cargo xtask ci programs"]
fn starts_and_ends_with_all_modules() {
    let Some(php) = need_php() else { return };
    assert_eq!(compare(&php, "php -r", &["-r", "echo 1;"], ""), "1");
    let _ = compare(&php, "php -m", &["-m"], "");
}

/// Without modules: php's own allocator above malloc, and then malloc for every object.
#[test]
#[ignore = "cargo xtask ci programs"]
fn starts_without_modules() {
    let Some(php) = need("php") else { return };
    let script = "<?php $a = range(1, 50000); shuffle($a); sort($a); echo array_sum($a), strlen(str_repeat('x', 9e6));";
    for own in ["1", "0"] {
        let run = same_on_both("php -n", || {
            Program::new(&php).arg("-n").env("USE_ZEND_ALLOC", own).input(script)
        });
        assert_eq!(run.stdout, "12500250009000000");
    }
}

#[test]
#[ignore = "cargo xtask ci programs"]
fn arrays_patterns_json_and_modules() {
    let Some(php) = need_php() else { return };
    let said = compare(
        &php,
        "php",
        &["-d", "opcache.enable_cli=1"],
        include_str!("../../data/modules.php"),
    );
    assert!(said.ends_with("done\n"), "{said}");
}

/// Children of php that work, and end, on a copy of their parent's heap.
#[test]
#[ignore = "cargo xtask ci programs"]
fn children() {
    let Some(php) = need_php() else { return };
    let script = "<?php
        $kept = array_map(fn($i) => str_repeat((string)$i, 50), range(1, 20000));
        for ($n = 0; $n < 8; $n++) {
            if (pcntl_fork() == 0) exit(count(array_unique(array_map('md5', $kept))) % 250 + $n % 2);
        }
        while (pcntl_wait($status) > 0) $codes[] = pcntl_wexitstatus($status);
        sort($codes);
        echo implode(' ', $codes), shell_exec('echo a child');";
    assert_eq!(compare(&php, "php, pcntl", &[], script), "0 0 0 0 1 1 1 1a child\n");
}
