//! `run --check`: programs of every kind, made in a temporary directory.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

use crate::common::{exits, has, heapwright, ours, outcome, prints};
use launch::testing::{compile, file, static_program};
use serde_json::Value;

fn check(program: &Path) -> (String, Option<i32>) {
    let (out, err, code) = run!["run", "--check", "--", program];
    assert_eq!(err, "");
    (out, code)
}

/// It ends with `code` and says all of `words`.
fn checks(program: &Path, code: i32, words: &[&str]) {
    let (out, ended) = check(program);
    assert_eq!(ended, Some(code), "{out}");
    has(&out, words);
}

#[test]
fn an_ordinary_program_is_usable_and_is_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace");
    let script = format!("#!/bin/sh\ntouch {}\n", trace.display());
    let script = file(dir.path(), "script", script.as_bytes(), 0o755);
    checks(
        &script,
        0,
        &[
            "script   starts /bin/sh",
            "dynamic, glibc",
            "LD_PRELOAD replaces it",
            "RTLD_DEEPBIND is cleared",
            "try: heapwright run -- ",
        ],
    );
    assert!(!trace.exists());
}

#[test]
fn a_classic_design_is_checked_by_its_name() {
    let check = ours(["run", "-a", "tlsf", "--check", "--", "/bin/sh"]);
    prints(0, check, &["libheapwright-tlsf-", "RTLD_DEEPBIND is cleared"]);
}

#[test]
fn a_program_that_names_other_allocators_has_none_of_them_inside() {
    let (out, _) = check(Path::new(env!("CARGO_BIN_EXE_heapwright")));
    for name in ["jemalloc", "mimalloc", "tcmalloc"] {
        assert!(!out.contains(name), "{out}");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_static_program_is_not_usable() {
    let dir = tempfile::tempdir().unwrap();
    let program = file(dir.path(), "static", &static_program(0), 0o755);
    checks(&program, 1, &["statically linked", "not usable"]);
    let script = format!("#!{}\n", program.display());
    checks(&file(dir.path(), "script", script.as_bytes(), 0o755), 1, &[]);
}

#[test]
fn an_allocator_inside_the_program_is_named() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("mimalloc", "void *mi_malloc(unsigned long n) { return 0; }"),
        // The symbols may be gone; what an allocator prints stays.
        ("jemalloc", "const char *volatile said = \"<jemalloc>: out of memory\";"),
    ] {
        let text = format!("{text} int main(void) {{ return 0; }}");
        let source = file(dir.path(), "own.c", text.as_bytes(), 0o644);
        let program = dir.path().join(name);
        for (mode, verdict, code) in
            [("-no-pie", "usable in part", 0), ("-static", "not usable", 1)]
        {
            compile(&source, &[mode], &program);
            checks(&program, code, &[verdict, name]);
        }
    }
}

#[test]
fn a_program_for_another_processor_is_not_usable() {
    let dir = tempfile::tempdir().unwrap();
    let mut program = static_program(0);
    // e_machine: s390x
    program[18] = 22;
    checks(&file(dir.path(), "other", &program, 0o755), 1, &["s390x"]);
}

/// Only root can make a file that gives its caller another identity; others see what their own set-uid file means.
#[test]
fn a_set_uid_program() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("set-uid");
    fs::copy("/bin/true", &program).unwrap();
    let set_uid = || fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    set_uid();
    checks(&program, 0, &["ignored for other users"]);
    if chown(&program, Some(65534), None).is_ok() {
        set_uid();
        let (out, code) = check(&program);
        if out.contains("without effect") {
            return;
        }
        assert_eq!(code, Some(1), "{out}");
        assert!(out.contains("set-uid to user 65534: the loader ignores LD_PRELOAD"), "{out}");
        let (_, err, code) = run!["run", "--", &program];
        assert_eq!((code, err.lines().count()), (Some(0), 1), "{err}");
        assert!(err.contains("keeps its own malloc"), "{err}");
    }
}

fn compiled(folder: &Path, name: &str, text: &str, flags: &[&str]) -> PathBuf {
    let program = folder.join("program");
    compile(&file(folder, name, text.as_bytes(), 0o644), flags, &program);
    program
}

const OWN_MALLOC: &str = "\
static char pool[4096]; static unsigned long used;
void *malloc(unsigned long n) { used += n; return pool + used - n; }
void free(void *p) { (void)p; }
int main(void) { return malloc(8) == 0; }
";

#[test]
fn a_program_with_a_malloc_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let flags = ["-fno-builtin", "-rdynamic"];
    let program = compiled(dir.path(), "p.c", OWN_MALLOC, &flags);
    checks(&program, 1, &["defined and exported by the program itself"]);
    let hidden = format!("#pragma GCC visibility push(hidden)\n{OWN_MALLOC}");
    let program = compiled(dir.path(), "p.c", &hidden, &["-fno-builtin"]);
    checks(&program, 1, &["linked into the program itself"]);
}

#[test]
fn a_program_with_an_operator_new_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let source = "#include <cstdlib>\n\
        void *operator new(std::size_t n) { return std::malloc(n); }\n\
        void operator delete(void *p) noexcept { std::free(p); }\n\
        int main() { delete new int; }\n";
    let program = compiled(dir.path(), "p.cc", source, &[]);
    checks(&program, 0, &["warn  C++", "its own operator new"]);
}

/// By its name: what is in the file is not Python.
#[test]
fn a_program_that_mostly_avoids_malloc_is_told_so() {
    let dir = tempfile::tempdir().unwrap();
    let python = dir.path().join("python3.11");
    fs::copy("/bin/true", &python).unwrap();
    checks(&python, 0, &["warn  note", "PYTHONMALLOC=malloc"]);
    let mut set = heapwright();
    set.env("PYTHONMALLOC", "malloc").args(["run", "--check", "--"]).arg(&python);
    let (out, ..) = outcome(&mut set);
    assert!(!out.contains("note"), "{out}");
}

#[test]
fn the_same_for_programs() {
    for (words, usable) in [(&["/bin/true"][..], true), (&["env", "-i", "/bin/true"][..], false)] {
        let check = ["run", "--check", "--format", "json", "--"];
        let (out, err, code) = ours([&check[..], words].concat());
        let json: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{err}"));
        assert_eq!((&json["usable"], code), (&usable.into(), Some(i32::from(!usable))), "{out}");
        assert_eq!(json["allocator"], "heapwright");
        let findings = json["findings"].as_array().unwrap();
        let verdict = findings.last().unwrap();
        assert_eq!(verdict["subject"], "verdict", "{out}");
        assert_eq!(verdict["level"], if usable { "ok" } else { "fail" }, "{out}");
    }
}

#[test]
fn an_env_that_drops_the_library_is_an_obstacle() {
    for dropped in ["-i", "-", "--ignore-environment", "-uLD_PRELOAD", "LD_PRELOAD="] {
        let words = ["run", "--check", "--", "/usr/bin/env", dropped, "/bin/true"];
        prints(1, ours(words), &[&format!("'{dropped}' keeps LD_PRELOAD")]);
    }
    let words = ["run", "--check", "--", "/usr/bin/env", "-u", "HOME", "A=1", "/bin/true"];
    exits(0, ours(words));
}
