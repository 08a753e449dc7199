//! What the looks have seen of the processes of a run: how long they computed and waited for a processor, and on which malloc.
//!
//! ```text
//! a look:  each process below the helper ─► each of its tasks: what it ran and waited since the last look
//!                     └─ the file it executes ─► its malloc, read from its maps once and again after each exec
//! ```
//!
//! What a task did after the last look at it is not seen, but for the program itself, and nothing of who was never looked at.
//! Therefore the time waited is taken as a share of the time computed, of which the kernel knows all.

use core::fmt;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::malloc;
use crate::tree::{self, Scheduled};

/// The most programs that are told apart.
const MOST: usize = 64;

/// What stands for the malloc that is preloaded.
pub(crate) const AS_ASKED: &str = "=";

pub(super) struct Seen {
    /// The library that comes before all others.
    preloaded: Option<PathBuf>,
    /// By number, as last seen.
    tasks: HashMap<i32, Scheduled>,
    /// By number: the file that it executes, and its malloc, if that is known by now.
    processes: HashMap<i32, (PathBuf, Option<String>)>,
    all: Scheduled,
    programs: Vec<Program>,
}

struct Program {
    name: String,
    malloc: String,
    ran: u64,
}

impl Seen {
    pub(super) fn new(preloaded: Option<&Path>) -> Self {
        let preloaded = preloaded.map(|path| path.canonicalize().unwrap_or_else(|_| path.into()));
        Self {
            preloaded,
            tasks: HashMap::new(),
            processes: HashMap::new(),
            all: Scheduled::default(),
            programs: Vec::new(),
        }
    }

    /// Looks at every process below `root`.
    pub(super) fn look(&mut self, root: i32) {
        for process in tree::descendants(root) {
            self.look_at(process);
        }
    }

    /// Looks at one process; it may have ended, if nobody has waited for it.
    pub(super) fn look_at(&mut self, process: i32) {
        let mut ran = 0;
        tree::for_each_task(process, &mut |task, now| {
            let before = self.tasks.insert(task, now).unwrap_or_default();
            ran += now.ran.saturating_sub(before.ran);
            self.all.waited += now.waited.saturating_sub(before.waited);
        });
        self.all.ran += ran;
        if let Ok(executable) = fs::read_link(format!("/proc/{process}/exe")) {
            let known = self.processes.entry(process).or_default();
            if known.0 != executable || known.1.is_none() {
                let malloc = malloc::of(process, &executable, self.preloaded.as_deref());
                *known = (executable, malloc);
            }
        }
        if let Some((_, Some(malloc))) = self.processes.get(&process) {
            // What its file is called may be another program's name: Debian's redis-server is a link to redis-check-rdb.
            let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
            let name = word(name.trim_end());
            match self.programs.iter().position(|p| p.name == name && p.malloc == *malloc) {
                Some(at) => self.programs[at].ran += ran,
                None if self.programs.len() < MOST => {
                    self.programs.push(Program { name, malloc: malloc.clone(), ran });
                }
                None => {}
            }
        }
    }

    /// How long all of them waited for a processor, when they computed for `cpu_us`. `None`: nobody was seen to compute.
    pub(super) fn waited_us(&self, cpu_us: u64) -> Option<u64> {
        let Scheduled { ran, waited } = self.all;
        let share = u128::from(cpu_us) * u128::from(waited);
        u64::try_from(share.checked_div(ran.into())?).ok()
    }
}

impl fmt::Display for Seen {
    /// As the launcher reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.programs.is_empty() {
            return Ok(());
        }
        write!(f, " programs {}", self.programs.len())?;
        for Program { name, malloc, ran } in &self.programs {
            write!(f, " {name} {} {}", word(malloc), ran / 1000)?;
        }
        Ok(())
    }
}

/// A name as one word of the answer.
fn word(name: &str) -> String {
    let plain = |c: char| if c.is_whitespace() || c.is_control() { '_' } else { c };
    if name.is_empty() { "?".to_owned() } else { name.chars().map(plain).collect() }
}
