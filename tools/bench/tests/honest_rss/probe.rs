//! What is no malloc is seen by a small process, before anything is measured.

use std::env;
use std::fs;
use std::path::Path;

use launch::allocator::Allocator;
use launch::probe::{self, Error};

fn ask(library: &Path) -> Result<probe::Answer, Error> {
    probe::ask(&env::current_exe().unwrap(), &Allocator::preloaded("x", library))
}

fn loaded(name: &str) -> String {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    maps.split_whitespace().find(|word| word.ends_with(name)).unwrap().to_owned()
}

pub(crate) fn what_is_no_malloc_is_told_apart() {
    let libc = loaded("/libc.so.6");
    assert!(ask(Path::new(&libc)).unwrap().malloc.ends_with("libc.so.6"));
    // It loads, and is not asked for memory.
    let other = loaded("/libgcc_s.so.1");
    let error = ask(Path::new(&other)).unwrap_err();
    assert!(matches!(&error, Error::NotUsed(..)), "{error}");
    assert!(error.to_string().contains("malloc comes from"), "{error}");
    // It does not load, and the loader's own words say why.
    let dir = tempfile::tempdir().unwrap();
    let text = dir.path().join("libtext.so");
    fs::write(&text, "not a library").unwrap();
    let error = ask(&text).unwrap_err().to_string();
    assert!(
        error.contains("libtext.so was not used") && error.contains("cannot be pre"),
        "{error}"
    );
    assert!(ask(&dir.path().join("libgone.so")).unwrap_err().to_string().contains("cannot be pre"));
    // Whoever does not answer is not believed.
    for program in ["/bin/false", "/bin/echo"] {
        let error = probe::ask(Path::new(program), &Allocator::preloaded("x", &libc)).unwrap_err();
        assert!(matches!(&error, Error::Broken(..)), "{program}: {error}");
    }
}
