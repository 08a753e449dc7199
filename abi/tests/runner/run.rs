//! Compiles a program, runs it, and judges what it did.
use crate::{
    exports, library,
    source::{self, Link, Source, home},
    target,
};
use core::{
    fmt::Write as _,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::Duration,
};
use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, Write as _},
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread,
    time::Instant,
};

/// With it in the environment, as `cargo xtask ci all` has it, everything is tried. Else the programs that try at random do half as
/// much on the flagship as it comes on this machine, and less elsewhere: on other mallocs, with another setting, under a kernel that
/// refuses, on another C library. Of the long programs, a sixth of all and two thirds of the time, only the flagship here runs each.
const WHOLE: &str = "HEAPWRIGHT_WHOLE";

fn is_whole() -> bool {
    env::var_os(WHOLE).is_some()
}

/// What a program exits with when this machine cannot run it.
const SKIPPED: i32 = 77;
const SIGABRT: i32 = 6;

#[derive(Clone, Copy)]
enum Malloc<'a> {
    /// The C library's own.
    Glibc,
    /// The library, preloaded unless the program's marks say otherwise, with one more variable perhaps.
    Heapwright(Option<&'a (String, String)>),
    /// The drop-in library of a classic design, preloaded.
    DropIn(&'a str, &'a Path),
    /// The library, under a kernel that refuses a call, or `all`, with an error's number.
    Refused(&'a str, i32),
}

/// Whether it is said how each program ended, also of those that did well: `--nocapture`.
static SHOWN: AtomicBool = AtomicBool::new(false);

pub(crate) fn show(shown: bool) {
    SHOWN.store(shown, Ordering::Relaxed);
}

pub(crate) fn say(line: &str) {
    if SHOWN.load(Ordering::Relaxed) {
        println!("{line}");
    }
}

/// Compiles and runs the program `name`, on the C library's malloc first if it says so. Panics when it fails.
pub(crate) fn program(name: &str) {
    let source = Source::read(name);
    if let Some(why) = target::current().without(source.name(), source.is_cxx()) {
        say(&format!("{}: skipped on heapwright: {why}", source.name()));
        return;
    }
    let binary = compile(&source);
    let mut failures = String::new();
    if source.also_glibc && target::current().is_host() {
        run(&source, &binary, Malloc::Glibc, &mut failures);
    }
    run(&source, &binary, Malloc::Heapwright(None), &mut failures);
    for variable in &source.again {
        run(&source, &binary, Malloc::Heapwright(Some(variable)), &mut failures);
    }
    assert!(failures.is_empty(), "\n{name}: {}\n{failures}", source.rule);
}

/// Looks at what the drop-in library of a classic design exports, and runs every program on it whose rule is one for any malloc,
/// with `misuse` those too that misuse one, but for those named in `without`, each with its reason. Panics with all that failed.
pub(crate) fn drop_in(name: &str, misuse: bool, without: &[(&str, &str)]) {
    if env::var_os("HEAPWRIGHT_SO").is_some() {
        say(&format!("{name}: skipped, HEAPWRIGHT_SO names another library"));
        return;
    }
    let library = library::drop_in(name);
    exports::of_drop_in(name, &library);
    let mut programs = Vec::new();
    let misuses = misuse.then(|| source::of_both("../tests/misuse")).into_iter().flatten();
    for source in source::of_both("tests/c").chain(misuses) {
        if !(source.is_for_any_malloc() || misuse && source.is_misuse_of_any()) {
            continue;
        }
        match without.iter().find(|(rule, _)| *rule == source.name()) {
            Some((rule, why)) => say(&format!("{rule}: not for {name}: {why}")),
            None => programs.push(source),
        }
    }
    let count = programs.len();
    let failures = side_by_side(&programs, |source, failures| {
        run_of_all(source, Malloc::DropIn(name, &library), failures);
    });
    assert!(failures.is_empty(), "\n{failures}");
    assert!(count > 60, "only {count} programs are for any malloc");
}

/// Runs the program `source` on the library under a kernel that refuses `call`; what is wrong goes to `failures`.
pub(crate) fn refused(source: &Source, call: &str, error: i32, failures: &mut String) {
    run_of_all(source, Malloc::Refused(call, error), failures);
}

/// Runs one of many programs, which a failure has to name.
fn run_of_all(source: &Source, malloc: Malloc<'_>, failures: &mut String) {
    let before = failures.len();
    run(source, &compile(source), malloc, failures);
    if failures.len() > before {
        let _ = writeln!(failures, "{}: {}\n", source.name(), source.rule);
    }
}

/// Does `each` of `all` by two threads, as many of the programs sleep; what failed, in their order.
pub(crate) fn side_by_side<T: Sync>(all: &[T], each: impl Fn(&T, &mut String) + Sync) -> String {
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(BTreeMap::new());
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(at) else { return };
            let mut failures = String::new();
            each(one, &mut failures);
            if !failures.is_empty() {
                failed.lock().unwrap_or_else(PoisonError::into_inner).insert(at, failures);
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

/// Compiles a C program that needs nothing else, for this machine.
pub(crate) fn compile_alone(file: &Path, binary: &Path) {
    finish(with_flags(target::host().compiler(false), false).arg(file).arg("-o").arg(binary));
}

/// The executable of `source`; the first who asks compiles it, while others wait.
fn compile(source: &Source) -> PathBuf {
    type Made = Arc<OnceLock<PathBuf>>;
    static MADE: Mutex<BTreeMap<PathBuf, Made>> = Mutex::new(BTreeMap::new());
    let made = {
        let mut all = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(source.path.clone()).or_default())
    };
    made.get_or_init(|| compile_now(source)).clone()
}

/// Compiles `source` and the libraries it needs, and returns the path of the executable.
fn compile_now(source: &Source) -> PathBuf {
    let directory = target::current().directory();
    fs::create_dir_all(&directory).expect("the directory for compiled programs can be made");
    let is_cxx = source.is_cxx();
    let binary = directory.join(format!("{}{}", source.name(), if is_cxx { "++" } else { "" }));
    let mut compiler = compiler(is_cxx);
    compiler.arg(&source.path).arg("-o").arg(&binary).args(&source.flags);
    for helper in &source.helpers {
        let library = helper_path(&binary, &helper.file);
        let mut build = self::compiler(source::is_cxx(&helper.file));
        build.arg(&helper.file).args(["-shared", "-fPIC", "-o"]).arg(&library).args(&helper.flags);
        finish(&mut build);
        if helper.linked {
            compiler.arg("-Wl,--no-as-needed").arg(&library);
        }
    }
    match source.link {
        Link::Nothing => {}
        Link::Shared => {
            compiler.arg(library::shared());
            let directory = library::shared().parent().expect("a library lies in a directory");
            compiler.arg(format!("-Wl,-rpath,{}", directory.display()));
        }
        Link::Archive => {
            compiler.arg(library::archive());
        }
        Link::Static => {
            compiler.arg("-static").arg(library::archive());
        }
    }
    compiler.args(["-pthread", "-ldl"]);
    finish(&mut compiler);
    binary
}

/// Where the library built from `file` for the program `binary` is: beside it.
fn helper_path(binary: &Path, file: &Path) -> PathBuf {
    let name = file.file_stem().expect("a helper has a name").to_string_lossy();
    let program = binary.file_name().expect("a program has a name").to_string_lossy();
    binary.with_file_name(format!("lib{name}-{program}.so"))
}

/// The target's compiler with the flags of every program. The compiler must not know what malloc means.
fn compiler(is_cxx: bool) -> Command {
    with_flags(target::current().compiler(is_cxx), is_cxx)
}

fn with_flags(mut compiler: Command, is_cxx: bool) -> Command {
    let standard = if is_cxx { "-std=c++17" } else { "-std=gnu2x" };
    compiler.args([standard, "-O1", "-g", "-fno-builtin", "-Wall", "-Werror", "-D_GNU_SOURCE"]);
    compiler.arg("-I").arg(home().join("include")).arg("-I").arg(home().join("tests/c"));
    compiler
}

fn finish(compiler: &mut Command) {
    let output =
        compiler.output().unwrap_or_else(|error| panic!("{compiler:?} cannot be started: {error}"));
    assert!(output.status.success(), "{compiler:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Runs `binary`; what is wrong goes to `failures`.
fn run(source: &Source, binary: &Path, malloc: Malloc<'_>, failures: &mut String) {
    let is_host = target::current().is_host();
    let is_at_home = is_host && matches!(malloc, Malloc::Heapwright(None));
    let is_flagship = is_host && matches!(malloc, Malloc::Heapwright(_));
    if source.is_long && !is_flagship && !is_whole() {
        return;
    }
    let preload = match malloc {
        Malloc::Glibc | Malloc::Refused(..) => None,
        Malloc::Heapwright(_) => source.preload.then(library::shared),
        Malloc::DropIn(_, library) => Some(library),
    };
    let (mut command, start) = match malloc {
        Malloc::Refused(call, error) => {
            (crate::refused::launch(call, error, binary), binary.display().to_string())
        }
        _ => target::current().start(binary, preload),
    };
    // cargo names its own folders there, where a library for this machine may lie beside the one under test.
    command.env_remove("LD_LIBRARY_PATH");
    command.args(&source.args).envs(source.env.iter().cloned());
    command.env("HEAPWRIGHT_SO", library::shared());
    for helper in source.helpers.iter().filter(|helper| !helper.linked) {
        command.env("PLUGIN", helper_path(binary, &helper.file));
    }
    if !is_whole() {
        command.env("TRIALS", if is_at_home { "0.5" } else { "0.15" });
    }
    let mut on = String::from("glibc");
    let mut by_hand = String::new();
    if let Malloc::DropIn(name, library) = malloc {
        name.clone_into(&mut on);
        command.env("HEAPWRIGHT_SO", library);
    }
    if let Malloc::Refused(call, error) = malloc {
        on = format!("heapwright without {call} (errno {error})");
        command.env("REFUSE_PRELOAD", library::shared());
        let preload = library::shared().display();
        let _ = write!(by_hand, "REFUSE_PRELOAD={preload} refuse {error} {call} -- ");
    }
    if let Malloc::Heapwright(variable) = malloc {
        "heapwright".clone_into(&mut on);
        for (name, value) in source.env.iter().chain(variable) {
            command.env(name, value);
            let _ = write!(by_hand, "{name}={value} ");
        }
        if let Some((name, value)) = variable {
            let _ = write!(on, " with {name}={value}");
        }
    }
    let [stdout, stderr] = ["out", "err"]
        .map(|kind| binary.with_extension(format!("{}.{kind}", on.replace(' ', "-"))));
    command.stdin(Stdio::null()).stdout(create(&stdout)).stderr(create(&stderr)).process_group(0);
    let started = Instant::now();
    let label = format!("{} on {on}", source.name());
    let status = wait(&mut command, &label, target::current().timeout(source.timeout));
    let seconds = started.elapsed().as_secs_f64();
    let (stdout, stderr) = (read(&stdout), read(&stderr));
    let verdict = judge(source, status, &stdout, &stderr);
    let (word, why) = match (&verdict, status.and_then(|status| status.code())) {
        (Err(_), _) => ("FAILED", ""),
        (Ok(()), Some(SKIPPED)) => ("skipped", stdout.trim()),
        (Ok(()), _) => ("ok", ""),
    };
    say(&format!("{}: {word} on {on} in {seconds:.2} s {why}", source.name()));
    if let Err(problem) = verdict {
        let _ = writeln!(failures, "on {on}: {problem}");
        let _ = writeln!(failures, "  by hand: {by_hand}{start} {}", source.args.join(" "));
        for (stream, text) in [("output", stdout), ("errors", stderr)] {
            for line in text.lines().take(20) {
                let _ = writeln!(failures, "  {stream}: {line}");
            }
        }
    }
}

fn create(path: &Path) -> fs::File {
    fs::File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// Says on standard error which program runs, past libtest, which shows nothing of a test until it has ended.
fn progress(label: &str) {
    static SAID: Mutex<Option<Instant>> = Mutex::new(None);
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.is_none_or(|said| said.elapsed() >= Duration::from_secs(5)) {
        *said = Some(Instant::now());
        // Without standard error nobody waits for a line.
        let _ = writeln!(io::stderr(), "running {label}");
    }
}

/// Runs `command`, which leads a process group of its own. `None` when the time is over: the whole group is killed then.
fn wait(command: &mut Command, label: &str, timeout: Duration) -> Option<ExitStatus> {
    let mut child =
        command.spawn().unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"));
    let started = Instant::now();
    loop {
        progress(label);
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return Some(status);
        }
        if started.elapsed() > timeout {
            let _ =
                Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
            let _ = child.wait();
            return None;
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Whether a program did what its marks say.
fn judge(
    source: &Source,
    status: Option<ExitStatus>,
    stdout: &str,
    stderr: &str,
) -> Result<(), String> {
    let Some(status) = status else {
        return Err(format!("did not end within {} s", source.timeout.as_secs()));
    };
    if let Some(message) = &source.expect {
        if status.signal() != Some(SIGABRT) {
            return Err(format!("ended with {status}, not with SIGABRT"));
        }
        let pointer = stdout.lines().last().unwrap_or_default();
        return has_line(stderr, &message.replace("{ptr}", pointer));
    }
    match status.code() {
        Some(0 | SKIPPED) => {}
        _ => return Err(format!("ended with {status}")),
    }
    source.stderr.as_ref().map_or(Ok(()), |message| has_line(stderr, message))
}

fn has_line(text: &str, pattern: &str) -> Result<(), String> {
    let regex = regex_lite::Regex::new(pattern)
        .map_err(|error| format!("the pattern {pattern}: {error}"))?;
    if text.lines().any(|line| regex.is_match(line)) {
        Ok(())
    } else {
        Err(format!("no line on standard error matches {pattern}"))
    }
}
