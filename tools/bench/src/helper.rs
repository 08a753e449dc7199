//! The small process between heapwright and the measured program.
//!
//! The kernel seeds a new program's peak RSS with that of the process it was forked from, so `wait4` after a fork
//! from a process with 400 MB reports 400 MB for `/bin/true`. Therefore heapwright starts itself once more, and that
//! fresh process, before it has touched anything, forks the program and waits for it.
//!
//! ```text
//! heapwright __measure FD KEY=VALUE… -- FILE ARG0 ARG…
//!    fork ─► child:  write clock and own peak RSS to a pipe, execve ─► the program
//!    read the pipe until exec closes it; wait4; write one line of figures to FD
//! ```
//!
//! - **H1** between fork and exec the child only makes system calls: everything it needs was prepared before.
//!
//! What the child itself touched before its exec is a floor below which peak RSS cannot be seen; it is reported.

use core::ffi::{c_char, c_int};
use core::{mem, ptr};
use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::os::fd::{FromRawFd as _, RawFd};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// The hidden subcommand under which the command calls [`main`].
pub const SUBCOMMAND: &str = "__measure";

/// The program to run, ready for `execve`.
struct Program {
    file: CString,
    argv: Vec<CString>,
    envp: Vec<CString>,
}

/// Plays the helper: `args` is what follows [`SUBCOMMAND`]. Returns the exit code of the helper process, which
/// says only whether the helper itself worked; the figures go to the descriptor named in `args`.
#[must_use]
pub fn main(args: &[OsString]) -> i32 {
    let Some((fd, program)) = parse(args) else { return 2 };
    // SAFETY: heapwright opened this descriptor for us, and nothing else here uses it.
    let mut out = unsafe { File::from_raw_fd(fd) };
    // SAFETY: `fcntl` with these arguments only sets a flag of our descriptor.
    unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    die_with_parent();
    let line = measure(&program);
    i32::from(out.write_all(line.as_bytes()).is_err())
}

fn parse(args: &[OsString]) -> Option<(RawFd, Program)> {
    let fd = args.first()?.to_str()?.parse().ok()?;
    let dashes = args.iter().position(|a| a == "--")?;
    let overrides = &args[1..dashes];
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
    Some((fd, Program { file, argv, envp }))
}

/// Runs the program once; the line to send back.
fn measure(program: &Program) -> String {
    let argv = pointers(&program.argv);
    let envp = pointers(&program.envp);
    let mut pipe: [c_int; 2] = [-1; 2];
    // SAFETY: `pipe` has room for the two descriptors.
    if unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return failed("pipe");
    }
    // SAFETY: this process has one thread, so the child may do whatever the parent could (H1 asks for less).
    let pid = unsafe { libc::fork() };
    if pid < 0 {
        return failed("fork");
    }
    if pid == 0 {
        child(pipe[1], &program.file, &argv, &envp);
    }
    // SAFETY: the write end belongs to the child now.
    unsafe { libc::close(pipe[1]) };
    let started = read_start(pipe[0]);
    let mut status: c_int = 0;
    // SAFETY: all-zero bytes are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: both out-pointers are to live locals of the right type.
    let waited = unsafe { libc::wait4(pid, &raw mut status, 0, &raw mut usage) };
    let ended = now();
    if waited != pid {
        return failed("wait4");
    }
    match started {
        Started::At { clock, floor } => format!(
            "ran {} {} {} {} {} {} {} {} {} {}\n",
            ended.saturating_sub(clock),
            micros(usage.ru_utime),
            micros(usage.ru_stime),
            usage.ru_maxrss,
            floor,
            usage.ru_minflt,
            usage.ru_majflt,
            usage.ru_nvcsw,
            usage.ru_nivcsw,
            status,
        ),
        Started::Refused(errno) => format!("exec {errno}\n"),
        Started::Lost => "failed the program's process ended before exec\n".to_owned(),
    }
}

/// The child's side: it never returns.
fn child(pipe: RawFd, file: &CString, argv: &[*const c_char], envp: &[*const c_char]) -> ! {
    // The Rust runtime ignores SIGPIPE, and what is ignored stays ignored across exec.
    // SAFETY: setting the default disposition installs no handler.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    die_with_parent();
    let start = [own_peak_kib(), now()];
    write_words(pipe, &start);
    // SAFETY: `file` and the null-terminated arrays outlive the call (they are the parent's copies).
    unsafe { libc::execve(file.as_ptr(), argv.as_ptr(), envp.as_ptr()) };
    write_words(pipe, &[u64::from(errno().unsigned_abs())]);
    // SAFETY: leaves without running the parent's exit handlers.
    unsafe { libc::_exit(127) }
}

enum Started {
    /// The program was started at this clock, after the child had touched so many KiB.
    At { clock: u64, floor: u64 },
    /// `execve` failed with this errno.
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
    // SAFETY: this option takes a signal number and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

fn own_peak_kib() -> u64 {
    // SAFETY: all-zero bytes are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: the out-pointer is to a live local.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    u64::try_from(usage.ru_maxrss).unwrap_or(0)
}

/// Nanoseconds of the monotonic clock.
fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the out-pointer is to a live local.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    let part = |n: i64| u64::try_from(n).unwrap_or(0);
    part(time.tv_sec) * 1_000_000_000 + part(time.tv_nsec)
}

fn micros(time: libc::timeval) -> i64 {
    time.tv_sec * 1_000_000 + time.tv_usec
}

fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

fn failed(what: &str) -> String {
    format!("failed {what}: {}\n", std::io::Error::last_os_error())
}
