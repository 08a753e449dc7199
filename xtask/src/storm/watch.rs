//! One run under a watchdog: how it ended, what it said, and that nothing of it is left.
//!
//! The run leads a process group. Its lines are read as they come; any line is a sign of life.

use core::time::Duration;
use launch::{Launch, Running};
use std::collections::VecDeque;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Instant;

/// A program's exit status for "not on this machine", as in `abi/tests/c`.
const SKIPPED: i32 = 77;

/// How many of the last lines are kept, and how many processes of a hung group are looked into.
const LAST_LINES: usize = 30;
const LOOKED_INTO: usize = 6;

/// How long what is about to end by itself may take to, on a busy machine.
pub(super) const SETTLE: Duration = Duration::from_secs(10);

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Passed,
    Skipped,
    Failed(String),
}

pub(super) struct Watched {
    pub(super) ending: Ending,
    pub(super) seconds: f64,
    pub(super) did: Option<String>,
    /// Its last lines, on both streams.
    pub(super) said: VecDeque<String>,
    /// Where its threads stood when it hung, by gdb.
    pub(super) stacks: Vec<String>,
}

impl Watched {
    pub(super) fn last_line(&self) -> String {
        self.said.back().cloned().unwrap_or_default()
    }
}

/// What was said, on both streams.
#[derive(Default)]
struct Lines {
    last: VecDeque<String>,
    did: Option<String>,
    /// What a library complains of without ending the program.
    complaint: Option<String>,
}

impl Lines {
    /// Waits for lines for a moment, and hears those that came; whether there were any.
    fn hear(&mut self, running: &mut Running, moment: Duration) -> io::Result<bool> {
        running.look(moment)?;
        let mut lines = running.stdout.take_lines();
        lines.extend(running.stderr.take_lines());
        let came = !lines.is_empty();
        lines.into_iter().for_each(|line| self.keep(line));
        Ok(came)
    }

    fn keep(&mut self, line: String) {
        if let Some(did) = line.strip_prefix("did: ") {
            self.did = Some(did.to_owned());
        } else if line != "beat" {
            if line.starts_with("heapwright: ") || line.starts_with("ERROR: ld.so: ") {
                self.complaint.get_or_insert_with(|| line.clone());
            }
            if self.last.len() == LAST_LINES {
                self.last.pop_front();
            }
            self.last.push_back(line);
        }
    }
}

/// Runs `command` until it ends, or shows no sign of life for `timeout`. What it leaves behind has `settle` to end.
pub(super) fn watch(
    command: &mut Command,
    timeout: Duration,
    settle: Duration,
) -> io::Result<Watched> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = Instant::now();
    let mut running = Launch::new(command).group().spawn()?;
    let mut lines = Lines::default();
    let mut alive = Instant::now();
    let mut hung = false;
    while !(hung || running.has_ended()) {
        if lines.hear(&mut running, Duration::from_millis(20))? {
            alive = Instant::now();
        }
        hung = alive.elapsed() >= timeout;
    }
    let group = running.number().cast_unsigned();
    let stacks = if hung { stacks_of(group) } else { Vec::new() };
    let left = if hung { Vec::new() } else { left_behind(group, settle) };
    let status = running.kill()?;
    let seconds = start.elapsed().as_secs_f64();
    // What is on its way still comes; nobody holds the streams any more, but for who left the group.
    let until = Instant::now() + SETTLE;
    while Instant::now() < until && !(running.stdout.is_closed() && running.stderr.is_closed()) {
        lines.hear(&mut running, Duration::from_millis(20))?;
    }
    lines.hear(&mut running, Duration::ZERO)?;
    let ending = if hung {
        Ending::Failed(format!("HUNG: no sign of life for {} s", timeout.as_secs()))
    } else {
        judge(status, &lines, &left)
    };
    Ok(Watched { ending, seconds, did: lines.did, said: lines.last, stacks })
}

fn judge(status: ExitStatus, lines: &Lines, left: &[u32]) -> Ending {
    if status.code() == Some(SKIPPED) {
        return Ending::Skipped;
    }
    if !status.success() {
        // The program's own reason is its last line; a fault has none.
        return Ending::Failed(match (status.signal(), lines.last.back()) {
            (None, Some(line)) => line.clone(),
            _ => format!("ended by {status}"),
        });
    }
    if let Some(complaint) = &lines.complaint {
        return Ending::Failed(complaint.clone());
    }
    if !left.is_empty() {
        return Ending::Failed(format!("left processes behind: {left:?}"));
    }
    if lines.did.is_none() {
        return Ending::Failed("ended before its time, with status 0".to_owned());
    }
    Ending::Passed
}

/// Members of the group that live on though its leader has ended, and do not end by themselves soon.
fn left_behind(leader: u32, settle: Duration) -> Vec<u32> {
    let until = Instant::now() + settle;
    loop {
        let left: Vec<u32> = members(leader).into_iter().filter(|&id| id != leader).collect();
        if left.is_empty() || Instant::now() >= until {
            return left;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The processes of a group, those that only wait to be waited for left out.
fn members(group: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten();
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        group_of(&stat) == Some(group)
    })
    .collect()
}

/// The process group in a line of `/proc/PID/stat`, `12 (name) S parent group …`; none for a process that has ended.
pub(super) fn group_of(stat: &str) -> Option<u32> {
    // The name may hold brackets itself.
    let mut words = stat.rsplit_once(')')?.1.split_whitespace();
    let state = words.next()?;
    (state != "Z" && state != "X").then(|| words.nth(1)?.parse().ok())?
}

/// Where every thread of a group's processes stands, by gdb; a line that says so where there is no gdb.
fn stacks_of(group: u32) -> Vec<String> {
    let mut lines = Vec::new();
    for id in members(group).into_iter().take(LOOKED_INTO) {
        let asked = Command::new("gdb")
            .args(["-p", &id.to_string(), "-batch", "-nx", "-ex", "set pagination off"])
            .args(["-ex", "thread apply all bt 16"])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let Ok(output) = asked else {
            lines.push("gdb is not installed: where its threads stand is not known".to_owned());
            return lines;
        };
        lines.push(format!("process {id}:"));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let frames = text.lines().filter(|l| l.starts_with('#') || l.starts_with("Thread "));
        lines.extend(frames.map(str::to_owned));
    }
    lines
}
