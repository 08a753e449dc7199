//! Interpreters, each with a script of its own: hashes, objects, fibers, threads and collectors that move objects.

use heapwright_tests::{Program, need, same_on_both, top};

/// Runs `name`, where it is installed, as `with` says; what it writes ends with `end`.
fn same(name: &str, end: &str, with: impl Fn(Program) -> Program) -> String {
    let Some(path) = need(name) else { return String::new() };
    let run = same_on_both(name, || with(Program::new(&path)));
    assert!(run.stdout.ends_with(end), "{run}");
    run.stdout
}

/// It asks realloc for everything and frees with the size it knows.
#[test]
fn lua() {
    let script = include_str!("../../data/tables.lua");
    let _ = same("lua5.4", "\ndone\n", |lua| lua.arg("-").input(script));
}

/// Each of its workers is an isolate of its own, and reads the script again: a file and not the standard input.
#[test]
fn node() {
    let script = top().join("tests/data/workers.js");
    let _ = same("node", "\ndone\n", |node| node.arg(&script));
}

#[test]
fn perl() {
    let script = include_str!("../../data/words.pl");
    let said = same("perl", "\n", |perl| perl.arg("-").env("PERL_HASH_SEED", "0").input(script));
    assert!(said.is_empty() || said.contains("\nclosures "), "{said}");
}

#[test]
fn ruby() {
    let script = include_str!("../../data/objects.rb");
    let _ = same("ruby", "\ndone\n", |ruby| ruby.arg("-").input(script));
}

#[test]
fn sqlite() {
    let script = include_str!("../../data/orders.sql");
    let arguments = ["-batch", "-bail", ":memory:"];
    let said = same("sqlite3", "\nok\n", |sqlite| sqlite.args(arguments).input(script));
    assert!(said.is_empty() || said.starts_with("lines|60000|"), "{said}");
}
