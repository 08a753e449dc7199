//! The small process between heapwright and the measured program.
//!
//! The kernel seeds a new program's peak RSS with that of the process it was forked from, so `wait4` after a fork
//! from a process with 400 MB reports 400 MB for `/bin/true`. Therefore heapwright starts itself once more, and that
//! fresh process, before it has touched anything, forks the program and waits for it.
//!
//! ```text
//! heapwright __measure FD CPUS SAMPLE KEY=VALUE… -- FILE ARG0 ARG…
//!    fork ─► child:  take the processors, write clock and own peak RSS to a pipe, execve ─► the program
//!    read the pipe until exec closes it; wait, looking at all below; write one line of figures to FD
//! ```
//!
//! - **H1** between fork and exec the child only makes system calls: everything it needs was prepared before.
//! - **H2** what is not needed to fork is allocated after it: samples, and the text of `/proc`.
//! - **H3** every process the program starts stays below the helper (it is their subreaper) and does not outlive it.
//!
//! What the child itself touched before its exec is a floor below which peak RSS cannot be seen; it is reported.
//! Looking at memory costs about ten microseconds for each process, and at most a twentieth of one processor's time.

mod watch;

use core::ffi::{CStr, c_char, c_int};
use core::time::Duration;
use core::{mem, ptr};
use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::{FromRawFd as _, RawFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;

use launch::environment::{PRELOAD, entries};
use launch::follow::{self, Seen};
use rustix::param::clock_ticks_per_second;
use rustix::process::{Signal, set_parent_process_death_signal};
use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::cpus;
use crate::measured::{Figures, Sample};
use watch::Ended;

/// What the helper says, as a line of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// The program came to some end.
    Ran { figures: Figures, began_ns: u64, samples: Vec<Sample>, programs: Vec<follow::Program> },
    /// `execve` refused with this errno.
    NotStarted(i32),
    /// Why the helper could not do its part.
    Failed(String),
}

/// The hidden subcommand under which the command calls [`main`].
pub const SUBCOMMAND: &str = "__measure";

/// What runs a text without `#!`.
const SHELL: &CStr = c"/bin/sh";

/// The third word of a child that could not take its processors: this and the errno.
const NOT_PINNED: u64 = 1 << 32;

struct Program {
    file: CString,
    argv: Vec<CString>,
    /// For a text without `#!`, which the kernel does not know: what `execvp` makes of it, and with it `run`.
    for_shell: Vec<CString>,
    envp: Vec<CString>,
    /// None: all.
    cpus: Vec<usize>,
    sample: Option<Duration>,
    /// The library that is preloaded before all others, if one is named here.
    preloaded: Option<PathBuf>,
}

/// What the helper is given before the environment: the processors, and how often to look at memory.
pub(crate) fn arguments(cpus: &[usize], sample: Option<Duration>) -> [String; 2] {
    let numbers: Vec<String> = cpus.iter().map(usize::to_string).collect();
    let cpus = if cpus.is_empty() { "all".to_owned() } else { numbers.join(",") };
    [cpus, sample.map_or(0, |s| s.as_nanos()).to_string()]
}

/// Plays the helper: `args` is what follows [`SUBCOMMAND`]. Returns the exit code of the helper process, which
/// says only whether the helper itself worked; the figures go to the descriptor named in `args`.
pub fn main(args: &[OsString]) -> i32 {
    let Some((fd, program)) = parse(args) else { return 2 };
    // SAFETY: heapwright opened this descriptor for us, and nothing else here uses it.
    let mut out = unsafe { File::from_raw_fd(fd) };
    // SAFETY: `fcntl` with these arguments only sets a flag of our descriptor.
    unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    die_with_parent();
    let answer = measure(&program);
    // The line's end says that it is whole.
    let told = serde_json::to_vec(&answer).map_err(io::Error::from).and_then(|mut line| {
        line.push(b'\n');
        out.write_all(&line)
    });
    i32::from(told.is_err())
}

fn parse(args: &[OsString]) -> Option<(RawFd, Program)> {
    let dashes = args.iter().position(|a| a == "--")?;
    let [fd, cpus, sample, overrides @ ..] = &args[..dashes] else { return None };
    let fd = fd.to_str()?.parse().ok()?;
    let cpus = match cpus.to_str()? {
        "all" => Vec::new(),
        list => list.split(',').map(|n| n.parse().ok()).collect::<Option<_>>()?,
    };
    let sample = match sample.to_str()?.parse().ok()? {
        0 => None,
        nanoseconds => Some(Duration::from_nanos(nanoseconds)),
    };
    let mut rest = args[dashes + 1..].iter().map(|a| CString::new(a.as_bytes()).ok());
    let file = rest.next()??;
    let argv: Vec<CString> = rest.collect::<Option<_>>()?;
    let key_of = |entry: &OsStr| -> Vec<u8> {
        entry.as_bytes().split(|&b| b == b'=').next().unwrap_or_default().to_vec()
    };
    let overridden: Vec<Vec<u8>> = overrides.iter().map(|o| key_of(o)).collect();
    let mut envp: Vec<CString> = env::vars_os()
        .filter(|(key, _)| !overridden.iter().any(|o| o == key.as_bytes()))
        .filter_map(|(key, value)| {
            CString::new([key.into_vec(), value.into_vec()].join(&b'=')).ok()
        })
        .collect();
    envp.extend(overrides.iter().filter_map(|o| CString::new(o.as_bytes()).ok()));
    let words = [SHELL.to_owned(), file.clone()];
    let for_shell = words.into_iter().chain(argv.iter().skip(1).cloned()).collect();
    let preload =
        overrides.iter().find_map(|entry| entry.to_str()?.strip_prefix(PRELOAD)?.strip_prefix('='));
    let preloaded = preload.and_then(|list| Some(entries(list).next()?.into()));
    Some((fd, Program { file, argv, for_shell, envp, cpus, sample, preloaded }))
}

fn measure(program: &Program) -> Answer {
    let argv = pointers(&program.argv);
    let for_shell = pointers(&program.for_shell);
    let envp = pointers(&program.envp);
    let set = (!program.cpus.is_empty()).then(|| cpus::set_of(&program.cpus));
    let mut pipe: [c_int; 2] = [-1; 2];
    // SAFETY: `pipe` has room for the two descriptors.
    if unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return failed("pipe");
    }
    // SAFETY: this option takes a flag and touches no memory. It is not inherited.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
    // SAFETY: this process has one thread, so the child may do whatever the parent could (H1 asks for less).
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return failed("fork");
    }
    if pid == 0 {
        child(pipe[1], set, &program.file, [&argv, &for_shell], &envp);
    }
    // SAFETY: the write end belongs to the child now.
    unsafe { libc::close(pipe[1]) };
    let busy_before = busy(&program.cpus);
    let started = read_start(pipe[0]);
    let clock = match started {
        Started::At { clock, .. } => clock,
        Started::Refused(_) | Started::Lost => now(),
    };
    let seen = Seen::new(program.preloaded.as_deref());
    let Some(ended) = watch::until_the_end(pid, clock, program.sample, seen) else {
        return failed("wait4");
    };
    let busy_after = busy(&program.cpus);
    watch::end_what_is_left();
    match started {
        Started::At { clock, floor } => {
            let busy = busy_before.zip(busy_after).map(|(b, a)| a.saturating_sub(b));
            ran(ended, clock, floor, busy)
        }
        Started::Refused(why) if why >= NOT_PINNED => {
            let error = io::Error::from_raw_os_error(i32::try_from(why - NOT_PINNED).unwrap_or(0));
            Answer::Failed(format!("sched_setaffinity to {:?}: {error}", program.cpus))
        }
        Started::Refused(errno) => Answer::NotStarted(i32::try_from(errno).unwrap_or(0)),
        Started::Lost => Answer::Failed("the program's process ended before exec".to_owned()),
    }
}

fn ran(ended: Ended, clock: u64, floor: u64, busy_us: Option<u64>) -> Answer {
    let usage = usage(libc::RUSAGE_CHILDREN);
    let number = |n: i64| u64::try_from(n).unwrap_or(0);
    let (user_us, system_us) = (number(micros(usage.ru_utime)), number(micros(usage.ru_stime)));
    let anonymous = ended.memory.as_ref().map(|memory| memory.anonymous);
    let (seen_peak, samples) = ended.memory.map_or((0, Vec::new()), |m| (m.peak, m.samples));
    let figures = Figures {
        wall_ns: ended.clock.saturating_sub(clock),
        user_us,
        system_us,
        peak_rss_bytes: seen_peak.max(number(usage.ru_maxrss) * 1024),
        peak_rss_floor_bytes: floor * 1024,
        peak_anonymous_bytes: anonymous,
        minor_faults: number(usage.ru_minflt),
        major_faults: number(usage.ru_majflt),
        voluntary_switches: number(usage.ru_nvcsw),
        involuntary_switches: number(usage.ru_nivcsw),
        exit: ExitStatus::from_raw(ended.status).into(),
        others_us: busy_us.map(|busy| busy.saturating_sub(user_us + system_us)),
        waited_us: ended.seen.waited_us(user_us + system_us),
    };
    let programs = ended.seen.programs();
    Answer::Ran { figures, began_ns: clock, samples, programs }
}

/// The child's side: it never returns.
fn child(
    pipe: RawFd,
    set: Option<CpuSet>,
    file: &CString,
    [argv, for_shell]: [&[*const c_char]; 2],
    envp: &[*const c_char],
) -> ! {
    // The Rust runtime ignores SIGPIPE, and what is ignored stays ignored across exec.
    // SAFETY: setting the default disposition installs no handler.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    die_with_parent();
    let refused = set.and_then(|set| sched_setaffinity(None, &set).err());
    write_words(pipe, &[own_peak_kib(), now()]);
    if refused.is_none() {
        // SAFETY: `file` and the null-terminated arrays outlive the call (they are the parent's copies).
        unsafe { libc::execve(file.as_ptr(), argv.as_ptr(), envp.as_ptr()) };
        if errno() == libc::ENOEXEC {
            // SAFETY: as above.
            unsafe { libc::execve(SHELL.as_ptr(), for_shell.as_ptr(), envp.as_ptr()) };
        }
    }
    let (not_pinned, errno) = match refused {
        Some(why) => (NOT_PINNED, why.raw_os_error()),
        None => (0, errno()),
    };
    write_words(pipe, &[not_pinned + u64::from(errno.unsigned_abs())]);
    // SAFETY: leaves without running the parent's exit handlers.
    unsafe { libc::_exit(127) }
}

enum Started {
    /// The program was started at this clock, after the child had touched `floor` KiB.
    At { clock: u64, floor: u64 },
    /// `execve` failed with this errno, or `sched_setaffinity` did: then [`NOT_PINNED`] is added.
    Refused(u64),
    /// The child died first.
    Lost,
}

/// Reads two words, and a third if exec failed; the pipe closes on exec.
fn read_start(fd: RawFd) -> Started {
    let mut words = [0_u64; 3];
    let mut have = 0;
    while have < size_of_val(&words) {
        // SAFETY: `have` is within `words`.
        let at = unsafe { words.as_mut_ptr().cast::<u8>().add(have) };
        // SAFETY: `at` has room for the rest of `words`.
        let got = unsafe { libc::read(fd, at.cast(), size_of_val(&words) - have) };
        match usize::try_from(got) {
            Ok(0) => break,
            Ok(n) => have += n,
            Err(_) if errno() == libc::EINTR => {}
            Err(_) => break,
        }
    }
    // SAFETY: the read end is ours and not used again.
    unsafe { libc::close(fd) };
    match have {
        16 => Started::At { clock: words[1], floor: words[0] },
        24 => Started::Refused(words[2]),
        _ => Started::Lost,
    }
}

fn write_words(fd: RawFd, words: &[u64]) {
    // SAFETY: `words` is readable for its own size.
    unsafe { libc::write(fd, words.as_ptr().cast(), size_of_val(words)) };
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|s| s.as_ptr()).chain([ptr::null()]).collect()
}

/// Asks for SIGKILL when the parent ends, so that nothing is left behind when heapwright is killed.
fn die_with_parent() {
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

/// How long `cpus` were busy since boot, in microseconds; of a program that is not pinned, those that it may use.
fn busy(cpus: &[usize]) -> Option<u64> {
    let own = if cpus.is_empty() { cpus::own() } else { Vec::new() };
    let cpus = if cpus.is_empty() { &own } else { cpus };
    let ticks = cpus::busy_ticks(&fs::read_to_string("/proc/stat").ok()?, cpus)?;
    Some(ticks * 1_000_000 / clock_ticks_per_second().max(1))
}

fn own_peak_kib() -> u64 {
    u64::try_from(usage(libc::RUSAGE_SELF).ru_maxrss).unwrap_or(0)
}

/// What this process used, or all that it has waited for: the program, and what was left of it.
fn usage(whose: c_int) -> libc::rusage {
    // SAFETY: all-zero bytes are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: the out-pointer is to a live local.
    unsafe { libc::getrusage(whose, &raw mut usage) };
    usage
}

fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let part = |n: i64| u64::try_from(n).unwrap_or(0);
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

fn micros(time: libc::timeval) -> i64 {
    time.tv_sec * 1_000_000 + time.tv_usec
}

fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

fn failed(what: &str) -> Answer {
    Answer::Failed(format!("{what}: {}", io::Error::last_os_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(args: &[&str]) -> Option<(RawFd, Program)> {
        parse(&args.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn what_the_launcher_says_is_understood() {
        let [cpus, sample] = arguments(&[1, 3], Some(Duration::from_millis(5)));
        let (fd, program) =
            given(&["7", &cpus, &sample, "A=b", "--", "/bin/x", "x", "--"]).unwrap();
        assert_eq!(
            (fd, program.cpus, program.sample),
            (7, vec![1, 3], Some(Duration::from_millis(5)))
        );
        assert_eq!((program.file.as_c_str(), program.argv.len()), (c"/bin/x", 2));
        assert_eq!(program.envp.last().unwrap().as_c_str(), c"A=b");
        let [cpus, sample] = arguments(&[], None);
        let (_, program) = given(&["7", &cpus, &sample, "--", "/bin/x"]).unwrap();
        assert_eq!((program.cpus, program.sample), (vec![], None));
    }

    #[test]
    fn anything_else_is_refused() {
        for args in [
            &["7", "all", "--", "/bin/x"][..],
            &["7", "", "0", "--", "/bin/x"],
            &["7", "1,", "0", "--", "/bin/x"],
            &["7", "all", "5ms", "--", "/bin/x"],
            &["x", "all", "0", "--", "/bin/x"],
            &["7", "all", "0", "--"],
            &["7", "all", "0"],
        ] {
            assert!(given(args).is_none(), "{args:?}");
        }
    }
}
