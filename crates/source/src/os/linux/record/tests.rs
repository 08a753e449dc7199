#![expect(clippy::disallowed_macros, reason = "a test may format")]

use std::{env, fs, process};

use super::*;

fn said(text: &str) -> Result<(), i32> {
    replace(|out| out.write_str(text).expect("a console takes all"))
}

/// Has the path in the other process.
const SHARED: &str = "HEAPWRIGHT_TEST_SHARED";

/// Another process has the same path and writes its file.
fn said_elsewhere(path: &str) {
    let mut test = process::Command::new(env::current_exe().expect("the path of this test"));
    test.args(["a_file_is_replaced", "--nocapture"]).env(SHARED, path);
    assert!(test.output().expect("started").status.success());
}

// One test, as there is one name.
#[test]
fn a_file_is_replaced_as_a_whole_or_not_at_all() {
    if let Ok(path) = env::var(SHARED) {
        assert!(name(&path));
        return assert_eq!(said("elsewhere"), Ok(()));
    }
    let folder = env::temp_dir().join(format!("heapwright-record-{}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let at = |name: &str| folder.join(name).to_str().expect("UTF-8").to_string();
    assert!(!is_asked());
    assert!(!name("relative") && !name(&format!("/{}", "x".repeat(GIVEN))));
    assert!(name(&at("of-%p")) && is_asked());
    let long = "0123456789".repeat(300);
    for text in [long.as_str(), "short\n"] {
        assert_eq!(said(text), Ok(()));
        let path = at(&format!("of-{}", process::id()));
        assert_eq!(fs::read_to_string(&path).expect("there"), text);
    }
    let shared = at("shared");
    assert!(name(&shared));
    let answer = replace(|out| {
        out.write_str(&long).expect("a console takes all");
        said_elsewhere(&shared);
        assert_eq!(fs::read_to_string(&shared).expect("there"), "elsewhere");
    });
    assert_eq!(answer, Ok(()), "two processes write at once");
    assert_eq!(fs::read_to_string(&shared).expect("there"), long);
    assert_eq!(fs::read_dir(&folder).expect("there").count(), 2, "nothing is left beside them");

    let kept = at("kept");
    fs::write(&kept, "kept").expect("written");
    std::os::unix::fs::symlink(&kept, at("link")).expect("a link");
    for (path, error) in
        [(at("link"), EINVAL), ("/dev/null".to_string(), EINVAL), (at("no/file"), 2)]
    {
        assert!(name(&path));
        assert_eq!(said("x"), Err(error), "{path}");
    }
    assert_eq!(fs::read_to_string(&kept).expect("there"), "kept");
    stop();
    assert!(!is_asked());
    fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn a_path_that_would_be_too_long_is_none() {
    let (given, mut buffer) = ("%p".repeat(128), [0; LONGEST]);
    let digits = process::id().to_string().len();
    let path = expanded(&given, "", &mut buffer);
    assert_eq!(path.is_some(), 128 * digits < LONGEST);
    let one = expanded("a%p%q", ".tmp", &mut buffer).expect("short");
    let expected: String = format!("a{}%q.tmp", process::id());
    assert_eq!(one.to_str(), Ok(expected.as_str()));
}
