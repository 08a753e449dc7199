//! One heap under a store of real pages: loaded, half of it freed, compacted; and how long `get` takes.
//!
//! ```text
//! loaded ─► half ─► compacted ─► all read and compared ─► loaded again ─► get, in turn with bare decompression
//! ```
use crate::compress::Either;
use crate::density::Random;
use crate::resident::resident;
use base::HandleAllocator;
use core::hint::black_box;
use handle::store::{CompressedStore, Compressor, Page, Report, StoreError};
use kernel::SourcePages;
use source::os::Os;
use std::{fmt, io, time::Instant};

/// A store over a heap `A`.
pub type Store<A> = CompressedStore<SourcePages<Os>, A, Either>;

/// Rounds of timing; the best of each piece counts.
const ROUNDS: usize = 7;
/// Pages of a piece.
const PIECE: usize = 500;
/// Pages that are timed in a round, at the most.
const TIMED: usize = 50_000;

/// What a store had at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// What the store says.
    pub report: Report,
    /// Bytes that the process has more than before there was a store.
    pub resident: isize,
}

impl Moment {
    /// Bytes of memory that the store says it has.
    #[must_use]
    pub const fn promised(&self) -> usize {
        self.report.used + self.report.tables
    }
}

/// Nanoseconds for a page.
#[derive(Debug, Clone, Copy)]
pub struct Nanoseconds {
    /// `get` of the store.
    pub store: f64,
    /// Decompressing the same bytes in the same order, out of one block of memory.
    pub bare: f64,
}

/// How long `get` takes.
#[derive(Debug, Clone, Copy)]
pub struct Gets {
    /// Of pages at random: nothing of them is in a cache.
    pub at_random: Nanoseconds,
    /// Of one page after another.
    pub in_order: Nanoseconds,
}

/// What a heap made of the pages.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// All pages are in it.
    pub loaded: Moment,
    /// A random half was freed.
    pub half: Moment,
    /// It was compacted then, if it can be.
    pub compacted: Moment,
    /// Bytes that compacting said it gave back.
    pub gone: usize,
    /// Bytes that the process had less after it.
    pub dropped: isize,
    /// How long `get` takes, if that was asked for.
    pub gets: Option<Gets>,
}

/// Why a trial ended early.
#[derive(Debug)]
pub enum TrialError {
    /// The store refused.
    Store(StoreError),
    /// Another page came back than was put in.
    Different(u64),
    /// The kernel's figures cannot be read.
    Resident(io::Error),
}

impl fmt::Display for TrialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrialError::Store(error) => write!(f, "the store: {error}"),
            TrialError::Different(key) => write!(f, "page {key} came back as another"),
            TrialError::Resident(error) => write!(f, "the process's memory: {error}"),
        }
    }
}

impl core::error::Error for TrialError {}

impl From<StoreError> for TrialError {
    fn from(error: StoreError) -> Self {
        TrialError::Store(error)
    }
}

impl From<io::Error> for TrialError {
    fn from(error: io::Error) -> Self {
        TrialError::Resident(error)
    }
}

#[expect(clippy::cast_possible_wrap, reason = "no process has so much")]
fn moment<A: HandleAllocator>(store: &Store<A>, before: usize) -> Result<Moment, TrialError> {
    let resident = resident()? as isize - before as isize;
    Ok(Moment { report: store.report(), resident })
}

/// Puts `pages` into the store that `make` makes, and does all of it. `compressor` is for bare decompression; without
/// one, nothing is timed.
///
/// # Errors
///
/// There is no memory, or the store is wrong.
pub fn run<A: HandleAllocator>(
    pages: &[Page],
    seed: u64,
    make: impl FnOnce() -> Store<A>,
    compact: impl FnOnce(&mut Store<A>) -> usize,
    compressor: Option<Either>,
) -> Result<Trial, TrialError> {
    let mut order: Vec<usize> = (0..pages.len()).collect();
    let mut random = Random::new(seed);
    for at in (1..order.len()).rev() {
        order.swap(at, random.below(at + 1));
    }
    let (freed, kept) = order.split_at(order.len() / 2);
    let before = resident()?;
    let mut store = make();
    for (key, page) in pages.iter().enumerate() {
        store.put(key as u64, page)?;
    }
    let loaded = moment(&store, before)?;
    for key in freed {
        store.remove(*key as u64)?;
    }
    let half = moment(&store, before)?;
    let gone = compact(&mut store);
    let compacted = moment(&store, before)?;
    let mut room: Page = [0; 4096];
    for key in kept {
        store.get(*key as u64, &mut room)?;
        if room != pages[*key] {
            return Err(TrialError::Different(*key as u64));
        }
    }
    for key in freed {
        store.put(*key as u64, &pages[*key])?;
    }
    let gets = match compressor {
        Some(compressor) => time(&mut store, pages, &order, compressor)?,
        None => None,
    };
    let dropped = half.resident - compacted.resident;
    Ok(Trial { loaded, half, compacted, gone, dropped, gets })
}

/// A page that is timed: its key, and where it is among the compressed ones.
struct Timed {
    key: u64,
    at: usize,
    len: usize,
}

/// Times `get` and bare decompression of the pages that are kept compressed. `None`: there are none.
fn time<A: HandleAllocator>(
    store: &mut Store<A>,
    pages: &[Page],
    order: &[usize],
    mut compressor: Either,
) -> Result<Option<Gets>, TrialError> {
    let mut out: Page = [0; 4096];
    // By key, so that bare decompression goes about in as much memory as the store does.
    let mut short = Vec::new();
    let mut places = vec![None; pages.len()];
    for (page, place) in pages.iter().zip(&mut places) {
        let is_same = page.chunks_exact(8).all(|word| word == &page[..8]);
        // What is longer is kept as it is in some heaps.
        let len = compressor.compress(page, &mut out).filter(|len| !is_same && *len < 3000);
        if let Some(len) = len {
            *place = Some((short.len(), len));
            short.extend_from_slice(&out[..len]);
        }
    }
    let timed = |key: usize| {
        let (at, len) = places[key]?;
        Some(Timed { key: key as u64, at, len })
    };
    let at_random: Vec<Timed> = order.iter().filter_map(|key| timed(*key)).take(TIMED).collect();
    let in_order: Vec<Timed> = (0..pages.len()).filter_map(timed).take(TIMED).collect();
    if in_order.is_empty() {
        return Ok(None);
    }
    let mut time = |timed: &[Timed]| time_pages(store, timed, &short, &mut compressor);
    Ok(Some(Gets { at_random: time(&at_random)?, in_order: time(&in_order)? }))
}

/// Times `get`, and decompressing out of `short`, of these pages: in turn and piece by piece, and of each piece the best. So
/// what else the machine does hits both, and counts little.
fn time_pages<A: HandleAllocator>(
    store: &mut Store<A>,
    timed: &[Timed],
    short: &[u8],
    compressor: &mut Either,
) -> Result<Nanoseconds, TrialError> {
    let mut room: Page = [0; 4096];
    let mut best = vec![[f64::INFINITY; 2]; timed.len().div_ceil(PIECE)];
    for _ in 0..ROUNDS {
        for (piece, best) in timed.chunks(PIECE).zip(&mut best) {
            let start = Instant::now();
            for Timed { key, .. } in piece {
                store.get(*key, &mut room)?;
                black_box(&room);
            }
            best[0] = best[0].min(start.elapsed().as_nanos() as f64);
            let start = Instant::now();
            for Timed { at, len, .. } in piece {
                let done = compressor.decompress(&short[*at..at + len], &mut room);
                done.ok_or(StoreError::Damaged)?;
                black_box(&room);
            }
            best[1] = best[1].min(start.elapsed().as_nanos() as f64);
        }
    }
    let each = |which: usize| best.iter().map(|best| best[which]).sum::<f64>() / timed.len() as f64;
    Ok(Nanoseconds { store: each(0), bare: each(1) })
}

#[cfg(test)]
mod tests;
