//! A child, its process group and all that descends from it: nothing of it outlives its test.

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::process::{Child, ExitStatus};

/// A child that leads a process group; killed when dropped, with its group and its descendants.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    /// Set once nothing of the group is left: its number may belong to someone else by then.
    gone: bool,
}

impl Group {
    pub(crate) fn new(child: Child) -> Self {
        Self { child, gone: false }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills what is left and returns how the child ended.
    pub(crate) fn end(&mut self) -> ExitStatus {
        if !self.gone {
            // Some make sessions of their own, out of the group's reach.
            let descendants = descendants(self.child.id());
            // What is to be killed may have ended already, and that is as good.
            let _ = self.pid().map(|pid| kill_process_group(pid, Signal::KILL));
            for pid in descendants {
                let _ = as_pid(pid).map(|pid| kill_process(pid, Signal::KILL));
            }
        }
        self.gone = true;
        self.child.wait().expect("a child can be waited for")
    }

    pub(crate) fn pid(&self) -> Option<Pid> {
        as_pid(self.child.id())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.gone {
            self.end();
        }
    }
}

fn as_pid(id: u32) -> Option<Pid> {
    i32::try_from(id).ok().and_then(Pid::from_raw)
}

/// The children of `ancestor`, their children, and so on, as `/proc` has them now.
fn descendants(ancestor: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten();
    let parents: Vec<(u32, u32)> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|pid| Some((pid, parent(pid)?)))
        .collect();
    let mut found = vec![ancestor];
    let mut at = 0;
    while at < found.len() {
        let of = found[at];
        found.extend(parents.iter().filter(|(_, parent)| *parent == of).map(|(pid, _)| pid));
        at += 1;
    }
    found.split_off(1)
}

/// From `/proc/PID/stat`: `12 (name) S parent …`; the name may hold brackets itself.
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
