//! One heap under a store of real pages: loaded, half of it freed, compacted; and how long `get` takes.
//!
//! ```text
//! loaded ─► half ─► compacted ─► all read and compared ─► loaded again ─► get, in turn with bare decompression
//! ```
use base::HandleAllocator;
use core::error::Error;
use core::hint::black_box;
use heapwright_handle::store::{CompressedStore, Compressor, Page, Report, StoreError};
use kernel::SourcePages;
use source::os::Os;
use std::time::Instant;

use super::random::Random;
use super::resident::resident;

pub(crate) type Store<A, C> = CompressedStore<SourcePages<Os>, A, C>;

/// Rounds of timing; the best of each piece counts.
const ROUNDS: usize = 7;
const PIECE: usize = 500;
/// Pages that are timed in a round, at the most.
const TIMED: usize = 50_000;

pub(crate) struct Moment {
    pub(crate) report: Report,
    /// Bytes that the process has more than before there was a store.
    pub(crate) resident: isize,
}

pub(crate) struct Trial {
    /// All pages are in it; a random half was freed; it was compacted then, if it can be.
    pub(crate) moments: [Moment; 3],
    /// Bytes that compacting said it gave back.
    pub(crate) gone: usize,
    /// Nanoseconds of `get`, and of decompressing the same bytes in the same order out of one block of memory: of pages at
    /// random, and of one page after another.
    pub(crate) gets: [[f64; 2]; 2],
}

impl Trial {
    /// Bytes that the process had less after compacting.
    pub(crate) const fn dropped(&self) -> isize {
        self.moments[1].resident - self.moments[2].resident
    }
}

/// Puts `pages` into the store that `make` makes, and does all of it. `compressor` is for bare decompression.
pub(crate) fn run<A: HandleAllocator, C: Compressor>(
    pages: &[Page],
    make: impl FnOnce() -> Store<A, C>,
    compact: impl FnOnce(&mut Store<A, C>) -> usize,
    mut compressor: C,
) -> Result<Trial, Box<dyn Error>> {
    let mut order: Vec<usize> = (0..pages.len()).collect();
    Random::new(1).shuffle(&mut order);
    let (freed, kept) = order.split_at(order.len() / 2);
    let before = resident()?.cast_signed();
    let mut store = make();
    let moment = |store: &Store<A, C>| -> Result<Moment, Box<dyn Error>> {
        Ok(Moment { report: store.report(), resident: resident()?.cast_signed() - before })
    };
    for (key, page) in pages.iter().enumerate() {
        store.put(key as u64, page)?;
    }
    let loaded = moment(&store)?;
    for key in freed {
        store.remove(*key as u64)?;
    }
    let half = moment(&store)?;
    let gone = compact(&mut store);
    let compacted = moment(&store)?;
    let mut room: Page = [0; 4096];
    for key in kept {
        store.get(*key as u64, &mut room)?;
        if room != pages[*key] {
            return Err(format!("page {key} came back as another").into());
        }
    }
    for key in freed {
        store.put(*key as u64, &pages[*key])?;
    }
    let gets = time(&mut store, pages, &order, &mut compressor)?;
    Ok(Trial { moments: [loaded, half, compacted], gone, gets })
}

/// A page that is timed: its key, and where it is among the compressed ones.
#[derive(Clone, Copy)]
struct Timed {
    key: u64,
    at: usize,
    len: usize,
}

/// Times `get` and bare decompression of the pages that are kept compressed.
fn time<A: HandleAllocator, C: Compressor>(
    store: &mut Store<A, C>,
    pages: &[Page],
    order: &[usize],
    compressor: &mut C,
) -> Result<[[f64; 2]; 2], StoreError> {
    let mut out: Page = [0; 4096];
    // By key, so that bare decompression goes about in as much memory as the store does.
    let mut short = Vec::new();
    let mut timed = vec![None; pages.len()];
    for ((key, page), timed) in (0..).zip(pages).zip(&mut timed) {
        let is_same = page.chunks_exact(8).all(|word| word == &page[..8]);
        // What is longer is kept as it is in some heaps.
        let len = compressor.compress(page, &mut out).filter(|len| !is_same && *len < 3000);
        *timed = len.map(|len| Timed { key, at: short.len(), len });
        short.extend_from_slice(&out[..len.unwrap_or(0)]);
    }
    let at_random: Vec<Timed> = order.iter().filter_map(|key| timed[*key]).take(TIMED).collect();
    let in_order: Vec<Timed> = timed.into_iter().flatten().take(TIMED).collect();
    let mut time = |timed: &[Timed]| time_pages(store, timed, &short, compressor);
    Ok([time(&at_random)?, time(&in_order)?])
}

/// Times `get`, and decompressing out of `short`, of these pages: in turn and piece by piece, and of each piece the best. So
/// what else the machine does hits both, and counts little.
fn time_pages<A: HandleAllocator, C: Compressor>(
    store: &mut Store<A, C>,
    timed: &[Timed],
    short: &[u8],
    compressor: &mut C,
) -> Result<[f64; 2], StoreError> {
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
    Ok([each(0), each(1)])
}
