//! Follows what a process starts, by looks at it: how long each program computed and waited for a processor, and on which malloc.
//!
//! ```text
//! a look:  each process below one       ─► each of its tasks: what it ran and waited since the last look
//!                     └─ the file it executes ─► its malloc, read from its maps once and again after each exec
//! ```
//!
//! What a task did after the last look at it is not seen, but for the program itself, and nothing of who was never looked at.
//! Therefore the time waited is taken as a share of the time computed, of which the kernel knows all.

mod malloc;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use self::malloc::Malloc;
use crate::tree::{self, Scheduled};

const MOST: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub name: String,
    /// The malloc that it had: `None` if that is the library which was asked for, else the name of a library, `glibc`, `musl` or
    /// `its own`.
    pub malloc: Option<String>,
    /// How long it was seen to compute; of what ended between two looks nothing is known.
    pub cpu_us: u64,
}

#[derive(Debug, Default)]
pub struct Seen {
    /// The library that comes before all others.
    preloaded: Option<PathBuf>,
    /// By number, as last seen.
    tasks: HashMap<i32, Scheduled>,
    /// By number: the file that it executes, and its malloc, if that is known by now.
    processes: HashMap<i32, (PathBuf, Option<Malloc>)>,
    all: Scheduled,
    /// By name and malloc: nanoseconds.
    programs: Vec<(String, Malloc, u64)>,
}

impl Seen {
    /// Nothing yet, of programs that are to run on the library `preloaded`.
    pub fn new(preloaded: Option<&Path>) -> Self {
        let preloaded = preloaded.map(|path| path.canonicalize().unwrap_or_else(|_| path.into()));
        Self { preloaded, ..Self::default() }
    }

    pub fn look(&mut self, root: i32) {
        for process in tree::descendants(root) {
            self.look_at(process);
        }
    }

    /// Looks at one process; it may have ended, if nobody has waited for it.
    pub fn look_at(&mut self, process: i32) {
        let mut ran = 0;
        tree::for_each_task(process, &mut |task, now| {
            let before = self.tasks.insert(task, now).unwrap_or_default();
            ran += now.ran.saturating_sub(before.ran);
            self.all.waited += now.waited.saturating_sub(before.waited);
        });
        self.all.ran += ran;
        let executed = |one| Some((one, fs::read_link(format!("/proc/{one}/exe")).ok()?));
        if let Some((one, executable)) = tree::of_memory(process, executed) {
            let known = self.processes.entry(process).or_default();
            if known.0 != executable || known.1.is_none() {
                let malloc = malloc::of(one, &executable, self.preloaded.as_deref());
                *known = (executable, malloc);
            }
        }
        if let Some((_, Some(malloc))) = self.processes.get(&process) {
            // What its file is called may be another program's name: Debian's redis-server is a link to redis-check-rdb.
            let name = fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
            let name = name.trim_end();
            match self.programs.iter().position(|(n, m, _)| n == name && m == malloc) {
                Some(at) => self.programs[at].2 += ran,
                None if self.programs.len() < MOST => {
                    self.programs.push((name.to_owned(), malloc.clone(), ran));
                }
                None => {}
            }
        }
    }

    pub fn programs(&self) -> Vec<Program> {
        let program = |(name, malloc, ran): &(String, Malloc, u64)| Program {
            name: name.clone(),
            malloc: match malloc {
                Malloc::Asked => None,
                Malloc::Other(malloc) => Some(malloc.clone()),
            },
            cpu_us: ran / 1000,
        };
        self.programs.iter().map(program).collect()
    }

    /// How long all of them waited for a processor, when they computed for `cpu_us`. `None`: nobody was seen to compute.
    pub fn waited_us(&self, cpu_us: u64) -> Option<u64> {
        let Scheduled { ran, waited } = self.all;
        let share = u128::from(cpu_us) * u128::from(waited);
        u64::try_from(share.checked_div(ran.into())?).ok()
    }
}
