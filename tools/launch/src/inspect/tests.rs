use std::env;
use std::fs;

use super::*;
use crate::testing::{file, static_program};

fn executable(dir: &Path, name: &str, content: &[u8]) -> PathBuf {
    file(dir, name, content, 0o755)
}

/// A static program for this processor.
fn native() -> Vec<u8> {
    let mut program = static_program(0);
    program[18] = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    program
}

/// It was started under the recorder, and ended at once.
#[test]
fn a_program_with_a_sanitizer_is_not_usable() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("checked");
    let source = dir.path().join("checked.c");
    fs::write(&source, "int main(void) { return 0; }").unwrap();
    let mut cc = std::process::Command::new("cc");
    let built = cc.arg("-fsanitize=address").arg(&source).arg("-o").arg(&file).output();
    if !built.is_ok_and(|built| built.status.success()) {
        return eprintln!("skipped: this compiler has no sanitizer");
    }
    let found = program(&file, &[]).unwrap();
    assert!(found.obstacle().is_some(), "{found:#?}");
}

#[test]
fn nor_is_one_for_musl() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = native();
    // The one segment becomes a PT_INTERP that names a loader appended to the file.
    let loader = b"/lib/ld-musl-x86_64.so.1\0";
    let at = bytes.len() as u64;
    bytes.extend(loader);
    bytes[64] = 3;
    bytes[72..80].copy_from_slice(&at.to_le_bytes());
    bytes[96..104].copy_from_slice(&(loader.len() as u64).to_le_bytes());
    let file = executable(dir.path(), "musl", &bytes);
    let found = program(&file, &[]).unwrap();
    assert!(found.obstacle().unwrap().text.contains("musl"), "{found:#?}");
}

#[test]
fn a_script_is_as_usable_as_its_interpreter() {
    let dir = tempfile::tempdir().unwrap();
    let line = format!("#!{} -q\n", env::current_exe().unwrap().display());
    let good = executable(dir.path(), "good", line.as_bytes());
    let found = program(&good, &[]).unwrap();
    assert!(found.is_usable(), "{found:#?}");
    assert_eq!(found.chain.len(), 2);
    let inner = executable(dir.path(), "inner", &native());
    let bad = executable(dir.path(), "bad", format!("#!{}\n", inner.display()).as_bytes());
    assert!(!program(&bad, &[]).unwrap().is_usable());
}

#[test]
fn a_damaged_elf_file_is_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    let whole = fs::read(env::current_exe().unwrap()).unwrap();
    for length in [1, 5, 16, 63, 64, 100, 1000, 5000] {
        let file = executable(dir.path(), "cut", &whole[..length]);
        // Any verdict will do.
        let _ = program(&file, &[]).unwrap();
    }
    let mut header = whole[..4096].to_vec();
    header[32..64].fill(0xff);
    let file = executable(dir.path(), "wild", &header);
    let _ = program(&file, &[]).unwrap();
}

#[test]
fn the_loader_says_what_it_loads() {
    let own = env::current_exe().unwrap();
    let found = program(&own, &[]).unwrap();
    let loader = found.loader.unwrap();
    let answer = loader::ask(&loader, &own, Path::new("/nowhere/libx.so"));
    let loader::Answer::Refuses(said) = answer else { panic!("{answer:?}") };
    assert!(said.contains("/nowhere/libx.so"), "{said}");
    // Any shared library will do, for example the C library that this very process has loaded.
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let libc = maps.split_whitespace().find(|w| w.ends_with("/libc.so.6")).unwrap();
    assert_eq!(loader::ask(&loader, &own, Path::new(libc)), loader::Answer::Accepts);
    let answer = loader::ask(&loader, Path::new("/no/such/program"), Path::new(libc));
    assert!(matches!(answer, loader::Answer::Unknown(_)), "{answer:?}");
}
