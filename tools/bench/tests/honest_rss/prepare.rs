//! The machine is put in order and back, on a folder that looks like one.

use core::time::Duration;
use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::thread;
use std::time::Instant;

use heapwright_bench::prepare;

/// The argument with which this file is a program that holds a guard until it is killed.
pub(crate) const HOLD: &str = "__hold";

pub(crate) fn hold(root: &Path) {
    // Whoever started the tests by `nohup` or in the background of a script has them ignored.
    for signal in [libc::SIGINT, libc::SIGHUP] {
        // SAFETY: the default installs no handler.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    let guard = prepare::start_in(&env::current_exe().unwrap(), root).unwrap();
    println!("held {}", guard.settings.len());
    thread::sleep(crate::HANGS * 10);
}

struct Machine {
    root: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let machine = Self { root };
        for (file, before, _) in machine.files() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, before).unwrap();
        }
        fs::create_dir(machine.root.path().join("run")).unwrap();
        machine
    }

    fn files(&self) -> [(PathBuf, &'static str, &'static str); 4] {
        let cpu = self.root.path().join("sys/devices/system/cpu");
        [
            (cpu.join("cpufreq/policy0/scaling_governor"), "schedutil\n", "performance"),
            (cpu.join("cpufreq/boost"), "1\n", "0"),
            (cpu.join("smt/control"), "on\n", "off"),
            (self.root.path().join("proc/sys/kernel/randomize_va_space"), "2\n", "0"),
        ]
    }

    fn is_set(&self) -> bool {
        self.files().iter().all(|(file, _, set)| fs::read_to_string(file).unwrap() == *set)
    }

    fn is_as_it_was(&self) -> bool {
        self.files().iter().all(|(file, before, _)| fs::read_to_string(file).unwrap() == *before)
    }

    fn holder(&self) -> Child {
        let mut holder = Command::new(env::current_exe().unwrap())
            .arg(HOLD)
            .arg(self.root.path())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "held 4\n");
        holder
    }
}

pub(crate) fn dropping_the_guard_restores() {
    let machine = Machine::new();
    let guard = prepare::start_in(&env::current_exe().unwrap(), machine.root.path()).unwrap();
    assert!(machine.is_set());
    let settings = &guard.settings;
    let what: Vec<&str> = settings.iter().map(|s| s.what.as_str()).collect();
    assert_eq!(what, ["CPU governor", "turbo", "SMT", "ASLR"]);
    assert!(settings.iter().all(|s| s.problem.is_none()), "{settings:?}");
    drop(guard);
    assert!(machine.is_as_it_was());
    assert!(prepare::start_in(Path::new("/bin/true"), machine.root.path()).is_err());
    assert!(prepare::start_in(Path::new("/bin/echo"), machine.root.path()).is_err());
}

pub(crate) fn the_second_is_told_who_was_first() {
    let machine = Machine::new();
    let start = || prepare::start_in(&env::current_exe().unwrap(), machine.root.path());
    let first = start().unwrap();
    let error = start().unwrap_err();
    assert!(matches!(error, prepare::Error::Held(Some(pid)) if pid == process::id()), "{error}");
    let expected =
        format!("another measurement, process {}, has put this machine in", process::id());
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert!(machine.is_set(), "the second one changes nothing");
    drop(first);
    assert!(machine.is_as_it_was());
    drop(start().unwrap());
    assert!(machine.is_as_it_was());
}

pub(crate) fn being_killed_restores_too() {
    for signal in ["KILL", "INT", "TERM", "HUP"] {
        let machine = Machine::new();
        let mut holder = machine.holder();
        assert!(machine.is_set());
        // To the whole group, as the terminal does it.
        let target = format!("-{}", holder.id());
        let kill = Command::new("/bin/kill").args(["-s", signal, "--", &target]).status().unwrap();
        assert!(kill.success());
        holder.wait().unwrap();
        let deadline = Instant::now() + crate::HANGS;
        while !machine.is_as_it_was() {
            assert!(Instant::now() < deadline, "not restored after SIG{signal}");
            thread::sleep(Duration::from_millis(2));
        }
    }
}
