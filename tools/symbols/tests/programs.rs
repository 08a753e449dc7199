//! Programs in C, C++ and Rust, compiled here, that say themselves at which addresses their known lines are.
//!
//! Each prints `ADDRESS LINE` for return addresses, and then its memory map.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use symbols::{Module, Names, Resolver, Why, build_id_of};
use tempfile::TempDir;

/// A compiled program, what it printed, and what was mapped.
struct Ran {
    folder: TempDir,
    program: PathBuf,
    ip: u64,
    line: u32,
    modules: Vec<Module>,
}

fn tool(command: &mut Command) -> String {
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

/// A program of `programs`.
fn compiled(name: &str, compiler: &str, flags: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
    tool(Command::new(compiler).args(flags).arg("-o").arg(&program).arg(source));
    run(folder, program)
}

fn run(folder: TempDir, program: PathBuf) -> Ran {
    let printed = tool(&mut Command::new(&program));
    let (head, maps) = printed.split_once('\n').unwrap();
    let (ip, line) = head.split_once(' ').unwrap();
    let ip = u64::from_str_radix(ip.trim_start_matches("0x"), 16).unwrap();
    let modules = maps.lines().filter_map(module).collect();
    Ran { folder, program, ip, line: line.parse().unwrap(), modules }
}

/// `5555-6666 r-xp 00001000 00:1f 77    /bin/app`.
fn module(line: &str) -> Option<Module> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [range, flags, offset, _, _, path] = words[..] else { return None };
    let hex = |digits: &str| u64::from_str_radix(digits, 16).unwrap();
    let (start, end) = range.split_once('-')?;
    let build_id = build_id_of(Path::new(path)).unwrap_or_default();
    let (start, end, offset, path) = (hex(start), hex(end), hex(offset), path.to_owned());
    flags.contains('x').then_some(Module { start, end, offset, base: None, path, build_id })
}

impl Ran {
    fn resolver(&self) -> Resolver {
        Resolver::new(&self.modules, 0).debug_folders([self.folder.path().join("debug")])
    }

    fn names(&self) -> Names {
        self.resolver().names([self.ip])
    }

    /// `function file:line` of each function, innermost first; files without their folders.
    fn said(&self) -> Vec<String> {
        said(&self.names(), self.ip)
    }

    fn why(&self) -> Vec<Why> {
        self.names().troubles.into_iter().map(|trouble| trouble.why).collect()
    }

    fn build_id(&self) -> String {
        build_id_of(&self.program).unwrap()
    }
}

fn said(names: &Names, ip: u64) -> Vec<String> {
    let words = names.at(ip).map(|symbol| {
        let file = symbol.file.rsplit('/').next().unwrap_or_default();
        format!("{} {file}:{}", symbol.function, symbol.line)
    });
    words.collect()
}

fn c() -> Ran {
    compiled("cache.c", "gcc", &["-g", "-O1", "-Wl,--build-id"])
}

#[test]
fn a_function_of_c_and_its_line() {
    for flags in
        [["-g", "-O0"], ["-g", "-O2"], ["-gdwarf-4", "-O2"], ["-g", "-no-pie"], ["-g", "-gz"]]
    {
        let ran = compiled("cache.c", "gcc", &flags);
        assert_eq!(ran.said(), [format!("insert cache.c:{}", ran.line)], "{flags:?}");
        assert_eq!(ran.why(), [], "{flags:?}");
    }
}

#[test]
fn an_inlined_function_of_cpp_and_whom_it_is_inlined_into() {
    let ran = compiled("cache.cpp", "g++", &["-g", "-O2"]);
    let line = ran.line;
    let expected = [
        format!("cache::Table::insert<int> cache.cpp:{line}"),
        format!("cache::serve cache.cpp:{}", line + 2),
    ];
    assert_eq!(ran.said(), expected);
}

#[test]
fn a_function_of_rust_with_all_or_little_debugging_information() {
    for debug in ["-Cdebuginfo=2", "-Cdebuginfo=line-tables-only"] {
        let ran = compiled("app.rs", "rustc", &[debug, "--crate-name=app"]);
        assert_eq!(ran.said(), [format!("app::cache::insert app.rs:{}", ran.line)], "{debug}");
    }
}

#[test]
fn without_lines_a_function_is_all_that_is_known() {
    let ran = compiled("cache.c", "gcc", &["-O1"]);
    assert_eq!(ran.said(), ["insert :0"]);
    assert_eq!(ran.why(), [Why::NoLines]);
}

#[test]
fn a_stripped_program_has_places_and_its_debug_files_give_the_names_back() {
    let ran = c();
    let expected = [format!("insert cache.c:{}", ran.line)];
    let debug = ran.folder.path().join("program.debug");
    tool(Command::new("objcopy").arg("--only-keep-debug").args([&ran.program, &debug]));
    tool(Command::new("strip").arg(&ran.program));
    assert_eq!(ran.said(), [""; 0]);
    assert_eq!(ran.why(), [Why::Stripped]);
    let names = ran.names();
    let text = names.troubles[0].to_string();
    assert!(text.contains(&ran.build_id()) && text.contains("-g"), "{text}");
    let (path, place) = names.module(ran.ip).unwrap();
    assert!(path.ends_with("/program") && place > 0x1000 && place < 0x10000, "{path} {place:x}");
    // By the build id, as a distribution has it.
    let id = ran.build_id();
    let folder = ran.folder.path().join("debug/.build-id").join(&id[..2]);
    fs::create_dir_all(&folder).unwrap();
    let by_id = folder.join(format!("{}.debug", &id[2..]));
    fs::copy(&debug, &by_id).unwrap();
    assert_eq!(ran.said(), expected);
    assert_eq!(ran.why(), []);
    // One with another build id in its place is not it.
    fs::copy("/bin/true", &by_id).unwrap();
    assert_eq!(ran.why(), [Why::Stripped]);
    fs::remove_file(by_id).unwrap();
    // By the name that the program gives.
    let mut link = Command::new("objcopy");
    link.current_dir(ran.folder.path()).args(["--add-gnu-debuglink=program.debug", "program"]);
    tool(&mut link);
    assert_eq!(ran.said(), expected);
}

#[test]
fn a_program_that_was_built_anew_is_never_misnamed() {
    let ran = c();
    let other = compiled("cache.c", "gcc", &["-Dinsert=evict", "-g", "-O1", "-Wl,--build-id"]);
    fs::copy(&other.program, &ran.program).unwrap();
    assert_eq!((ran.said(), ran.why()), (vec![], vec![Why::Changed]));
    assert!(ran.names().troubles[0].to_string().contains("record again"));
    fs::remove_file(&ran.program).unwrap();
    assert_eq!((ran.said(), ran.why()), (vec![], vec![Why::Gone]));
    assert!(ran.names().module(ran.ip).is_some(), "the place is known all the same");
}

#[test]
fn without_a_build_id_a_file_that_is_younger_than_the_recording_is_another_one() {
    let ran = compiled("cache.c", "gcc", &["-g", "-Wl,--build-id=none"]);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let now = u64::try_from(now.as_nanos()).unwrap();
    let later = Resolver::new(&ran.modules, now + 1_000_000_000).names([ran.ip]);
    assert_eq!(said(&later, ran.ip).len(), 1);
    let earlier = Resolver::new(&ran.modules, now - 3_600_000_000_000).names([ran.ip]);
    assert_eq!(said(&earlier, ran.ip).len(), 0);
    assert_eq!(earlier.troubles[0].why, Why::Changed);
}

#[test]
fn what_no_file_has_is_said() {
    let mut ran = c();
    let names = ran.resolver().names([0x10, ran.ip]);
    assert_eq!(names.troubles[0].why, Why::NoFile);
    assert_eq!((said(&names, ran.ip).len(), names.len()), (1, 1));
    for path in ["[vdso]", "/dev/null", "/proc/self/maps", "/"] {
        ran.modules.iter_mut().for_each(|module| path.clone_into(&mut module.path));
        assert_eq!((ran.said(), ran.why().len()), (vec![], 1), "{path}");
    }
}

#[test]
fn damaged_files_are_no_panic() {
    let mut ran = c();
    let whole = fs::read(&ran.program).unwrap();
    ran.modules.iter_mut().for_each(|module| module.build_id.clear());
    let mut random = 7_u64;
    for round in 0..200 {
        let mut bytes = whole.clone();
        for _ in 0..40 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            // Mostly the debugging information and the tables at the end, for which it has to be an ELF file still.
            let at = 64 + usize::try_from(random >> 33).unwrap() % (bytes.len() - 64);
            bytes[at] = random.to_le_bytes()[3];
        }
        bytes.truncate(bytes.len() - round * 8);
        fs::remove_file(&ran.program).unwrap();
        fs::write(&ran.program, &bytes).unwrap();
        let _ = ran.said();
    }
}
