//! What the runners of `abi/block` and `abi/kernel` share, whose programs are compiled for their own libraries: each includes this file.
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// One `#[test]` per program, named like its file, and one that compares the list with the folder.
macro_rules! programs {
    ($extension:literal: $($name:ident)*) => {
        $(#[test]
        fn $name() {
            crate::program(stringify!($name), $extension);
        })*

        #[test]
        fn the_list_is_complete() {
            crate::of_own::assert_listed("tests/c", $extension, &[$(stringify!($name)),*]);
        }
    };
}

/// The examples run, and end well.
macro_rules! examples {
    ($($name:ident)*) => {
        mod examples {
            $(#[test]
            fn $name() {
                crate::example(stringify!($name));
            })*

            #[test]
            fn the_list_is_complete() {
                crate::of_own::assert_listed("examples", "c", &[$(stringify!($name)),*]);
            }
        }
    };
}

pub(crate) fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn run(command: &mut Command) -> Output {
    let output =
        command.output().unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}{wrong}", output.status);
    output
}

pub(crate) fn read(source: &Path) -> (String, String) {
    let text =
        fs::read_to_string(source).unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let rule = text.lines().next().and_then(|line| line.strip_prefix("// "));
    let rule = rule.unwrap_or_else(|| panic!("{}: no rule", source.display())).to_owned();
    (text, rule)
}

/// The system's compiler, strict.
pub(crate) fn compiler(is_cxx: bool, c: &str) -> Command {
    let (variable, usual, standard) =
        if is_cxx { ("CXX", "c++", "-std=c++98") } else { ("CC", "cc", c) };
    let mut compiler = Command::new(env::var_os(variable).unwrap_or_else(|| usual.into()));
    compiler.args([standard, "-O1", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    // The programs do on purpose what the compiler warns of.
    compiler.args(["-fno-builtin", "-Wno-unused-result"]);
    compiler.arg("-I").arg(home().join("../include")).arg("-I").arg(home().join("tests/c"));
    compiler
}

/// Compiles `source` into an object, which is then linked to each library.
pub(crate) fn object(mut compiler: Command, source: &Path, folder: &Path) -> PathBuf {
    let name = source.file_name().expect("a file has a name").to_string_lossy();
    let object = folder.join(format!("{name}.o"));
    run(compiler.arg("-c").arg(source).arg("-o").arg(&object));
    object
}

/// Panics unless `listed` has every program of a folder with this extension, and no other.
pub(crate) fn assert_listed(folder: &str, extension: &str, listed: &[&str]) {
    let folder = home().join(folder);
    let there: BTreeSet<String> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().expect("a file has a name").to_string_lossy().into_owned())
        .filter(|name| name != "hosted")
        .collect();
    let listed: BTreeSet<String> = listed.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(there, listed, "programs of {} against the list in tests/c.rs", folder.display());
}
