//! A recorded program's steps as they went in a replay: each block where that allocator put it, and what was resident then.
//!
//! ```text
//! step ─► Planner ─► where its call is in the plan ─► places: the address of the same place ─► the step with it
//!                    how many calls there were     ─► looks: what was resident
//! ```
//!
//! Planned once more, a trace has the same plan: nothing but the places is kept of a run.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use trace::{Op, Step};

use crate::{Error, Order, Planner};

/// Bytes that are read at once, and how many such pieces are kept: threads are in pieces of their own.
const PIECE: usize = 4096;
const PIECES: usize = 256;

/// The steps of a program, and what came of them in a replay.
#[derive(Debug)]
pub struct Moved {
    planner: Planner,
    places: Places,
    /// Calls before each look, and what was resident up to it; the next one last.
    looks: Vec<(u64, u64)>,
    resident: Option<u64>,
}

impl Moved {
    /// With the file of places that a run in this order wrote, and its looks at the memory: calls and bytes.
    /// Errors: the file cannot be read.
    pub fn open(places: &Path, order: Order, mut looks: Vec<(u64, u64)>) -> Result<Self, Error> {
        looks.reverse();
        let planner = Planner::create(Path::new("/dev/null"), order)?;
        Ok(Self { planner, places: Places::open(places)?, looks, resident: None })
    }

    /// The same step with its block where it was put. What was refused there is so in the step.
    /// Errors: the places cannot be read.
    pub fn step(&mut self, mut step: Step) -> Result<Step, Error> {
        self.planner.push(&step)?;
        let calls = self.planner.calls();
        while self.looks.len() > 1 && self.looks.last().is_some_and(|look| look.0 < calls) {
            self.looks.pop();
        }
        self.resident = self.looks.last().map(|look| look.1);
        if let Op::Allocate { address, size, .. } | Op::Reallocate { address, size, .. } =
            &mut step.op
        {
            *address = self.places.read(self.planner.call())?;
            if *address == 0 {
                step.op = Op::Refused { size: *size };
            }
        }
        Ok(step)
    }

    /// What was resident in the replay around the last step, in bytes above its start.
    pub fn resident(&self) -> Option<u64> {
        self.resident
    }
}

/// Addresses in a file, of which some pieces are kept.
#[derive(Debug)]
struct Places {
    file: File,
    path: PathBuf,
    pieces: Vec<Option<(u64, Box<[u8; PIECE]>)>>,
}

impl Places {
    fn open(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|e| Error::Read(path.to_owned(), e))?;
        Ok(Self { file, path: path.to_owned(), pieces: vec![None; PIECES] })
    }

    /// The address at this place.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "below the size of a piece, and below their number"
    )]
    fn read(&mut self, at: u64) -> Result<u64, Error> {
        let (number, within) = (at / PIECE as u64, (at % PIECE as u64) as usize);
        let kept = &mut self.pieces[(number % PIECES as u64) as usize];
        let piece = match kept {
            Some((kept, piece)) if *kept == number => piece,
            _ => {
                let read = read(&self.file, number).map_err(|e| Error::Read(self.path.clone(), e));
                &mut kept.insert((number, read?)).1
            }
        };
        let word = piece[within..].first_chunk();
        Ok(word.map_or(0, |word| u64::from_ne_bytes(*word)))
    }
}

/// One piece; behind the end of the file it is zero.
fn read(file: &File, number: u64) -> io::Result<Box<[u8; PIECE]>> {
    let mut piece = Box::new([0; PIECE]);
    let mut had = 0;
    while had < PIECE {
        match file.read_at(&mut piece[had..], number * PIECE as u64 + had as u64)? {
            0 => break,
            more => had += more,
        }
    }
    Ok(piece)
}
