//! All processes below one process, their memory, together and of the largest, and how they were scheduled.
//!
//! ```text
//! root (not counted) ─► children of each of its threads ─► theirs …     /proc/PID/task/TID/children
//! ```
//!
//! Whose parent has ended is found too if `root` is a subreaper: such a process becomes `root`'s child. Nothing is kept
//! from one look to the next, so that a process number that means someone else by now does no harm. Cost: five system
//! calls for each process and three for each further thread; where there are several processes the kernel also goes
//! through their pages. On a kernel without `CONFIG_PROC_CHILDREN` nothing is found.

use core::ffi::{c_int, c_long};
use std::fs::{self, File};
use std::io::Read as _;

use rustix::process::{Pid, Signal, kill_process};

/// `kcmp`: whether two processes have the same memory.
const KCMP_VM: c_int = 1;

/// The processes below `root`, in no particular order.
pub fn descendants(root: i32) -> Vec<i32> {
    let mut found = Vec::new();
    walk(root, &mut |_, process| {
        found.push(process);
        true
    });
    found
}

/// Sends `signal` to each of `processes`. One that has ended gets none.
pub fn signal(processes: &[i32], signal: Signal) {
    for process in processes.iter().filter_map(|&process| Pid::from_raw(process)) {
        let _ = kill_process(process, signal);
    }
}

/// The resident bytes of all processes below `root`; a page that several of them share counts in equal parts. `None`: there
/// are none.
///
/// A child between `vfork` and `exec` has its parent's own memory and is left out.
pub fn resident(root: i32, page: u64) -> Option<u64> {
    let mut found = Vec::new();
    walk(root, &mut |parent, process| {
        let counts = parent == root || !same_memory(parent, process);
        if counts {
            found.push(process);
        }
        counts
    });
    let of = |process| resident_pages(process).map(|pages| pages * page);
    match *found {
        [one] => of(one),
        ref several => several
            .iter()
            .filter_map(|&one| proportional(one).or_else(|| of(one)))
            .reduce(|a, b| a + b),
    }
}

/// A thread of a process that has not ended. As a rule it is the first one; where that has (`pthread_exit` in main), the process's
/// own files in /proc say nothing of the memory, files and environment that the others go on using.
pub fn with_memory(process: i32) -> Option<i32> {
    let goes_on = |thread: &i32| {
        let stat = fs::read_to_string(format!("/proc/{thread}/stat")).unwrap_or_default();
        // The name in front may have any character in it.
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    let number = |thread: fs::DirEntry| thread.file_name().to_str()?.parse().ok();
    Some(process).filter(goes_on).or_else(|| {
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        threads.filter_map(number).find(goes_on)
    })
}

/// What `of` says of the first thread of a process, where that says nothing of one [with its memory](with_memory).
pub fn of_memory<T>(process: i32, of: impl Fn(i32) -> Option<T>) -> Option<T> {
    of(process).or_else(|| of(with_memory(process)?))
}

/// The most anonymous memory that one of the processes below `root` has had, in bytes: what is no file's, and so above all
/// malloc's. `None`: there are none.
///
/// A peak between two looks is not missed: the kernel keeps the most that was resident, of which at most what is a file's now
/// was a file's then.
pub fn anonymous(root: i32) -> Option<u64> {
    let of = |thread| {
        let mut text = String::new();
        read_into(&format!("/proc/{thread}/status"), &mut text)?;
        most_anonymous(&text)
    };
    descendants(root).into_iter().filter_map(|process| of_memory(process, of)).max()
}

fn most_anonymous(status: &str) -> Option<u64> {
    let of_files = bytes(status, "RssFile:")? + bytes(status, "RssShmem:")?;
    Some(bytes(status, "RssAnon:")?.max(bytes(status, "VmHWM:")?.saturating_sub(of_files)))
}

/// The figure of the line that begins with `name`, which is in kB.
fn bytes(text: &str, name: &str) -> Option<u64> {
    let field = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(field.trim().trim_end_matches(" kB").parse::<u64>().ok()? * 1024)
}

/// How long a task computed, and how long it waited for a processor while it could have; nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scheduled {
    pub ran: u64,
    pub waited: u64,
}

/// Calls `visit` with each task of `process` that is there, and how it was scheduled so far. The kernel keeps the first task of
/// a process until its end was waited for. On a kernel without `CONFIG_SCHED_INFO` nothing is found.
pub fn for_each_task(process: i32, visit: &mut dyn FnMut(i32, Scheduled)) {
    let tasks = format!("/proc/{process}/task");
    for_each_thread(process, &tasks, &mut |thread| {
        let mut text = String::new();
        if let Ok(number) = thread.parse()
            && read_into(&format!("{tasks}/{thread}/schedstat"), &mut text).is_some()
            && let Some(scheduled) = scheduled(&text)
        {
            visit(number, scheduled);
        }
    });
}

/// Nanoseconds that it ran and that it waited, and how often it was put on a processor.
fn scheduled(text: &str) -> Option<Scheduled> {
    let mut numbers = text.split_whitespace().map_while(|word| word.parse().ok());
    Some(Scheduled { ran: numbers.next()?, waited: numbers.next()? })
}

/// The longest time, in nanoseconds, that one task of the processes below `root` has waited for a processor.
pub fn longest_wait(root: i32) -> u64 {
    let mut longest = 0;
    for process in descendants(root) {
        for_each_task(process, &mut |_, task| longest = longest.max(task.waited));
    }
    longest
}

/// Calls `visit` with parent and child for every process below `root`, and goes on below those it says `true` for.
fn walk(root: i32, visit: &mut dyn FnMut(i32, i32) -> bool) {
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        for_each_child(parent, &mut |child| {
            if visit(parent, child) {
                open.push(child);
            }
        });
    }
}

fn for_each_child(parent: i32, visit: &mut dyn FnMut(i32)) {
    let tasks = format!("/proc/{parent}/task");
    for_each_thread(parent, &tasks, &mut |thread| {
        let mut text = String::new();
        if read_into(&format!("{tasks}/{thread}/children"), &mut text).is_some() {
            text.split_whitespace().filter_map(|p| p.parse().ok()).for_each(&mut *visit);
        }
    });
}

/// Calls `visit` with the number of each thread of `process`, whose folder of them is `tasks`.
fn for_each_thread(process: i32, tasks: &str, visit: &mut dyn FnMut(&str)) {
    // A program of one thread needs no list of its threads: each of them is a link to the folder.
    if threads(tasks).is_some_and(|n| n > 1) {
        for thread in fs::read_dir(tasks).into_iter().flatten().flatten() {
            visit(&thread.file_name().to_string_lossy());
        }
    } else {
        visit(&process.to_string());
    }
}

fn threads(tasks: &str) -> Option<u64> {
    use std::os::unix::fs::MetadataExt as _;
    Some(fs::metadata(tasks).ok()?.nlink().saturating_sub(2))
}

/// The second number of `statm`; `None`: it has ended.
fn resident_pages(process: i32) -> Option<u64> {
    of_memory(process, |thread| {
        let mut text = String::new();
        read_into(&format!("/proc/{thread}/statm"), &mut text)?;
        text.split_whitespace().nth(1)?.parse().ok().filter(|pages| *pages > 0)
    })
}

/// The proportional set size in bytes. `None`: the process is gone, or not ours to look at.
fn proportional(process: i32) -> Option<u64> {
    of_memory(process, |thread| {
        let mut text = String::new();
        read_into(&format!("/proc/{thread}/smaps_rollup"), &mut text)?;
        bytes(&text, "Pss:")
    })
}

fn read_into(path: &str, text: &mut String) -> Option<usize> {
    // Most of these fit, and `read_to_string` of a file without a size would begin with 32 bytes.
    text.reserve(256);
    File::open(path).ok()?.read_to_string(text).ok()
}

fn same_memory(a: i32, b: i32) -> bool {
    let (a, b) = (c_long::from(a), c_long::from(b));
    // SAFETY: the call compares and touches no memory of ours.
    let order = unsafe { libc::syscall(libc::SYS_kcmp, a, b, c_long::from(KCMP_VM), 0_i64, 0_i64) };
    // Negative where the kernel has no such call or the process is gone: then it counts.
    order == 0
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio, id};

    use super::*;

    #[test]
    fn children_of_every_thread_and_their_children_are_found() {
        let me = i32::try_from(id()).unwrap();
        let start = || {
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", "read x; sleep 60 & read x; kill $!"]);
            shell.stdin(Stdio::piped()).spawn().unwrap()
        };
        // The thread that starts it stays until it was looked for.
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let (give, given) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            give.send(start()).unwrap();
            let _ = stopped.recv();
        });
        let mut shell = given.recv().unwrap();
        let number = i32::try_from(shell.id()).unwrap();
        assert!(descendants(me).contains(&number));
        assert!(descendants(number).is_empty());
        let mut stdin = shell.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, b"\n").unwrap();
        while descendants(number).is_empty() {
            std::thread::yield_now();
        }
        assert!(resident(number, 4096).unwrap() > 0);
        drop(stdin);
        shell.wait().unwrap();
        drop(stop);
        thread.join().unwrap();
    }

    #[test]
    fn what_a_child_shares_with_its_parent_counts_once() {
        let script = r#"$| = 1; my $x = 'x' x 50_000_000; if (!fork) { print "\n"; close STDOUT; } sleep 60"#;
        let mut perl = Command::new("perl");
        let Ok(mut perl) = perl.args(["-e", script]).stdout(Stdio::piped()).spawn() else { return };
        let mut line = [0];
        perl.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
        let parent = i32::try_from(perl.id()).unwrap();
        let both = [parent, descendants(parent)[0]];
        let pages: u64 = both.iter().map(|&one| resident_pages(one).unwrap() * 4096).sum();
        let shares: u64 = both.iter().map(|&one| proportional(one).unwrap()).sum();
        assert!(shares < pages - 45_000_000, "{shares} of {pages}");
        signal(&both[1..], Signal::KILL);
        perl.kill().unwrap();
        perl.wait().unwrap();
    }

    #[test]
    fn a_peak_of_memory_is_seen_after_it() {
        let lines = |hwm, anon, file| {
            format!(
                "Name:\tx\nVmHWM:\t{hwm} kB\nVmRSS:\t9 kB\nRssAnon:\t  {anon} kB\nRssFile:\t{file} kB\nRssShmem:\t1 kB\n"
            )
        };
        assert_eq!(most_anonymous(&lines(100, 20, 30)), Some(69 * 1024));
        assert_eq!(most_anonymous(&lines(50, 20, 30)), Some(20 * 1024));
        assert_eq!(most_anonymous("Name:\tkthreadd\n"), None);
        let script =
            r#"$| = 1; my $n = 50_000_000; { my $x = 'x' x $n; undef $x } print "\n"; sleep 60"#;
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "perl -e \"$0\"; true", script]).stdout(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        let mut line = [0];
        let started = shell.stdout.as_mut().unwrap().read_exact(&mut line);
        let me = i32::try_from(shell.id()).unwrap();
        if started.is_ok() {
            let most = anonymous(me).unwrap();
            // The text may have been there twice.
            assert!((50_000_000..110_000_000).contains(&most), "{most}");
        }
        signal(&descendants(me), Signal::KILL);
        shell.wait().unwrap();
        assert_eq!(anonymous(me), None);
    }

    #[test]
    fn how_a_task_was_scheduled_is_read_and_nothing_else() {
        assert_eq!(
            scheduled("319530186 253558 4\n"),
            Some(Scheduled { ran: 319_530_186, waited: 253_558 })
        );
        assert_eq!((scheduled(""), scheduled("5\n"), scheduled("a b c")), (None, None, None));
    }

    #[test]
    fn memory_is_the_same_as_ones_own_only() {
        let me = i32::try_from(id()).unwrap();
        let mut other = Command::new("/bin/sleep").arg("60").spawn().unwrap();
        assert!(!same_memory(me, i32::try_from(other.id()).unwrap()));
        assert!(same_memory(me, me) || fs::metadata("/proc/self/ns").is_err());
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
