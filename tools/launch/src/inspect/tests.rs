use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};

use super::*;
use crate::testing::{file, static_program};

fn executable(dir: &Path, name: &str, content: &[u8]) -> PathBuf {
    file(dir, name, content, 0o755)
}

/// One for this processor, or for the one with that number.
fn of(machine: Option<u8>) -> Vec<u8> {
    let mut program = static_program(0);
    program[18] = machine.unwrap_or(if cfg!(target_arch = "aarch64") { 183 } else { 62 });
    program
}

#[test]
fn this_test_program_is_usable() {
    let found = program(&env::current_exe().unwrap(), &[]).unwrap();
    assert!(found.is_usable(), "{found:#?}");
    assert!(found.loader.is_some());
    assert!(found.findings.iter().any(|f| f.subject == "malloc" && f.level == Level::Ok));
}

#[test]
fn a_static_program_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let file = executable(dir.path(), "static", &of(None));
    let found = program(&file, &[]).unwrap();
    assert!(found.obstacle().unwrap().text.contains("statically linked"), "{found:#?}");
}

/// It was started under the recorder, and ended at once.
#[test]
fn nor_is_one_with_a_sanitizer() {
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
fn nor_is_one_for_another_processor() {
    let dir = tempfile::tempdir().unwrap();
    let file = executable(dir.path(), "other", &of(Some(22)));
    let found = program(&file, &[]).unwrap();
    assert!(found.obstacle().unwrap().text.contains("s390x"), "{found:#?}");
}

#[test]
fn nor_is_one_for_musl() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = of(None);
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
    let inner = executable(dir.path(), "inner", &of(Some(62)));
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
fn set_uid_is_judged_by_who_asks() {
    let dir = tempfile::tempdir().unwrap();
    let copy = dir.path().join("copy");
    fs::copy(env::current_exe().unwrap(), &copy).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o4755)).unwrap();
    let own = program(&copy, &[]).unwrap();
    assert!(own.is_usable(), "set-uid to the same user gains nothing: {own:#?}");
    assert!(own.findings.iter().any(|f| f.subject == "privileges" && f.level == Level::Warn));
    // Only root can give a file away.
    if rustix::process::geteuid().is_root() {
        chown(&copy, Some(65534), None).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o4755)).unwrap();
        let found = program(&copy, &[]).unwrap();
        let finding = found.findings.iter().find(|f| f.subject == "privileges").unwrap();
        assert!(
            finding.level == Level::Fail || finding.text.contains("without effect"),
            "{finding:?}"
        );
    }
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
