//! A process that is watched: found once, then looked at as often as asked.

use core::time::Duration;
use std::io;
use std::thread::sleep;
use std::time::Instant;

use base::live::At;

use crate::Trouble;
use crate::beside::Beside;
use crate::blocks::walk;
use crate::classes::{Class, classes};
use crate::counters::Counters;
use crate::heap::Heap;
use crate::memory::Memory;
use crate::note::{self, Found, Program};
use crate::parts::parts;
use crate::process::Process;
use crate::snapshot::Snapshot;
use crate::table::Table;
use crate::threads::threads;

/// How often a look is tried whose counters do not fit together: the heap was growing.
const TRIES: usize = 5;
const BETWEEN: Duration = Duration::from_millis(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Blocks,
    /// That too: a walk through all pages.
    Pages,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    pub process: Process,
    /// The malloc, by name and version; `None`: it is none of ours.
    pub malloc: Option<(String, String)>,
    pub program: Program,
    /// `None`: the malloc is another's, or shows nothing, or has not begun.
    pub heap: Option<Heap>,
    pub when: Instant,
}

impl Figures {
    /// Why there is no heap, and what would help.
    pub fn help(&self) -> String {
        let command = self.process.command.first().map_or("CMD", String::as_str);
        match &self.malloc {
            Some((design, _)) if design == "heapwright" => {
                "Its malloc has not been asked for anything yet.".to_owned()
            }
            Some((design, _)) => format!(
                "{design} shows no figures while it runs, only the flagship does; HEAPWRIGHT=stats=/path/%p has it write some \
                 at its end."
            ),
            None => self.help_of_another(command),
        }
    }

    /// Of a process on another malloc.
    fn help_of_another(&self, command: &str) -> String {
        match self.program {
            Program::Of32Bits => {
                "It is a 32-bit program, for which there is no heapwright: this is what the kernel says of it.".to_owned()
            }
            Program::Static => {
                "It is linked statically, and its malloc with it, which can neither be replaced nor recorded: this is what the \
                 kernel says of it."
                    .to_owned()
            }
            Program::Dynamic => format!(
                "What its malloc does it does not show. Started by 'heapwright run -- {command} …' it does; started by \
                 'heapwright run --armed -a glibc -- {command} …' it keeps its malloc, and 'heapwright record --pid' records it."
            ),
        }
    }
}

/// A malloc of ours, whose memory is read.
#[derive(Debug)]
struct Ours {
    memory: Memory,
    table: Table,
    classes: Vec<Class>,
    copy: Snapshot,
}

/// A process that was started a moment ago may not have its malloc yet, or become another program: so often it is looked for again.
const LOOKS: u32 = 20;

#[derive(Debug)]
pub struct Watched {
    pub pid: i32,
    started: u64,
    ours: Option<Ours>,
    program: Program,
    /// How often there was none of ours.
    missed: u32,
}

impl Watched {
    /// Finds the process and its malloc.
    /// Errors: there is none, it must not be read, or its malloc is of another version of ours.
    pub fn find(pid: i32) -> Result<Self, Trouble> {
        let process = Process::look(pid)?;
        let mut watched = Self {
            pid: process.pid,
            started: process.started,
            ours: None,
            program: Program::default(),
            missed: 0,
        };
        watched.find_malloc()?;
        Ok(watched)
    }

    fn find_malloc(&mut self) -> Result<(), Trouble> {
        for _ in 0..TRIES {
            match self.try_find_malloc() {
                // It becomes another program at this moment: what its maps named is gone.
                Err(Trouble::Unreadable(..)) => sleep(BETWEEN),
                found => return found,
            }
        }
        self.try_find_malloc()
    }

    fn try_find_malloc(&mut self) -> Result<(), Trouble> {
        let pid = self.pid;
        let Found { memory, tables, program } = note::find(pid)?;
        let table = chosen(&memory, tables);
        let ours = table.map(|table| {
            let classes = if table.shows { classes(&memory, &table) } else { Ok(Vec::new()) };
            let classes = classes.map_err(|error| Trouble::Unreadable(pid, error.to_string()))?;
            Ok(Ours { memory, table, classes, copy: Snapshot::default() })
        });
        (self.ours, self.program) = (ours.transpose()?, program);
        Ok(())
    }

    /// Looks at it.
    /// Errors: it has ended, or cannot be read any more.
    pub fn look(&mut self, detail: Detail) -> Result<Figures, Trouble> {
        let gone = |trouble| match trouble {
            Trouble::Gone(pid) | Trouble::Zombie(pid) => Trouble::Ended(pid),
            other => other,
        };
        let mut process = Process::look(self.pid).map_err(gone)?;
        if process.started != self.started {
            return Err(Trouble::Ended(self.pid));
        }
        if detail == Detail::Pages {
            process.look_for_huge_pages();
        }
        let when = Instant::now();
        if self.ours.is_none() && self.missed < LOOKS {
            self.missed += 1;
            self.find_malloc().map_err(gone)?;
        }
        let mut heap = self.heap(detail);
        if matches!(heap, Err(Trouble::Unreadable(..))) {
            // It has become another program.
            self.find_malloc().map_err(gone)?;
            heap = self.heap(detail);
        }
        let name = |ours: &Ours| (ours.table.design.clone(), ours.table.version.clone());
        Ok(Figures {
            process,
            malloc: self.ours.as_ref().map(name),
            program: self.program,
            heap: heap?,
            when,
        })
    }

    /// What lies beside blocks, as the last look saw it. `None`: the malloc shows nothing.
    pub fn beside(&self) -> Option<Beside<'_>> {
        let ours = self.ours.as_ref().filter(|ours| ours.table.shows)?;
        Some(Beside::of(&ours.copy, &ours.table, &ours.classes))
    }

    fn heap(&mut self, detail: Detail) -> Result<Option<Heap>, Trouble> {
        match &mut self.ours {
            Some(ours) if ours.table.shows => ours.heap(self.pid, detail),
            _ => Ok(None),
        }
    }
}

/// Of several mallocs of ours in one process (a program in Rust that has one, preloaded with another) the one in use.
fn chosen(memory: &Memory, mut tables: Vec<Table>) -> Option<Table> {
    let live = |table: &Table| {
        if table.shows { memory.word(table.place(At::Live)).unwrap_or(0) } else { 0 }
    };
    tables.sort_by_key(live);
    tables.pop()
}

impl Ours {
    /// `None`: it has not begun.
    fn heap(&mut self, pid: i32, detail: Detail) -> Result<Option<Heap>, Trouble> {
        let mut tries = 0;
        loop {
            match self.try_heap(detail) {
                Ok(heap) => return Ok(heap),
                Err(error) if tries == TRIES || error.raw_os_error() == Some(libc::ESRCH) => {
                    // One that ends is unmapped before it is gone; and the thread that was asked may have ended alone.
                    return Err(Process::look(pid).map_or(Trouble::Ended(pid), |_| {
                        Trouble::Unreadable(pid, error.to_string())
                    }));
                }
                Err(_) => sleep(BETWEEN),
            }
            tries += 1;
        }
    }

    fn try_heap(&mut self, detail: Detail) -> io::Result<Option<Heap>> {
        let Self { memory, table, classes, copy } = self;
        let counters = Counters::read(memory, table)?;
        if counters.of(At::Granules) == 0 {
            return Ok(None);
        }
        copy.read(memory, table, &counters)?;
        let threads = threads(memory, table, classes, &counters);
        let walked = walk(copy, table, classes);
        let mut heap = Heap::of(table, classes, &counters, walked, &threads);
        if detail == Detail::Pages {
            heap.parts = Some(parts(memory, copy, table, classes, &counters, &threads.objects));
        }
        Ok(Some(heap))
    }
}
