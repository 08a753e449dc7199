//! What the runners of `abi/block` and `abi/kernel` share, whose programs are compiled for their own libraries: each includes this file.
use core::sync::atomic::{AtomicBool, Ordering};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

use libtest_mimic::{Arguments, Trial};

/// A test for each program of the package, whose folder and ending it gets, and for each example.
pub(crate) fn tried(program: fn(&str, &str), example: fn(&str)) -> ExitCode {
    let arguments = Arguments::from_args();
    SHOWN.store(arguments.nocapture, Ordering::Relaxed);
    let mut trials = Vec::new();
    for (module, folder, ending) in
        [("c", "tests/c", "c"), ("cxx", "tests/c", "cc"), ("examples", "examples", "c")]
    {
        for name in names(&home().join(folder), ending) {
            trials.push(Trial::test(format!("{module}::{name}"), move || {
                if module == "examples" {
                    example(&name)
                } else {
                    program(&name, ending)
                }
                Ok(())
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The files of a folder with this ending; `hosted` is a part of them all.
fn names(folder: &Path, ending: &str) -> Vec<String> {
    let files =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = files.map(|entry| entry.expect("an entry").path());
    let paths = paths.filter(|path| path.extension().is_some_and(|found| found == ending));
    let stems = paths.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let mut names: Vec<String> = stems.filter(|name| name != "hosted").collect();
    names.sort();
    names
}

/// Whether what programs say is shown: `--nocapture`.
static SHOWN: AtomicBool = AtomicBool::new(false);

pub(crate) fn say(text: &str) {
    if SHOWN.load(Ordering::Relaxed) {
        println!("{text}");
    }
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
