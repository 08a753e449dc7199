use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown};

use super::*;

/// A complete static x86-64 program of one segment: `exit(0)`.
fn static_program(machine: u16) -> Vec<u8> {
    let code = [0x31, 0xff, 0xb8, 0x3c, 0, 0, 0, 0x0f, 0x05];
    let mut file = Vec::new();
    file.extend(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    for half in [2, machine] {
        file.extend(half.to_le_bytes());
    }
    file.extend(1_u32.to_le_bytes());
    for word in [0x40_0078_u64, 64, 0] {
        file.extend(word.to_le_bytes());
    }
    file.extend(0_u32.to_le_bytes());
    for half in [64_u16, 56, 1, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for word in [1_u32, 5] {
        file.extend(word.to_le_bytes());
    }
    let size = 120 + code.len() as u64;
    for word in [0_u64, 0x40_0000, 0x40_0000, size, size, 4096] {
        file.extend(word.to_le_bytes());
    }
    file.extend(code);
    file
}

fn executable(dir: &Path, name: &str, content: &[u8]) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
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
    let machine = if cfg!(target_arch = "aarch64") { 183 } else { 62 };
    let file = executable(dir.path(), "static", &static_program(machine));
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
    let file = executable(dir.path(), "other", &static_program(22));
    let found = program(&file, &[]).unwrap();
    assert!(found.obstacle().unwrap().text.contains("s390x"), "{found:#?}");
}

#[test]
fn nor_is_one_for_musl() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = static_program(if cfg!(target_arch = "aarch64") { 183 } else { 62 });
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
    let inner = executable(dir.path(), "inner", &static_program(62));
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
