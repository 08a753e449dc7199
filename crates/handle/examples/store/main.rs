//! Keeps real files' pages in compressed memory over each heap, and prints what each makes of them: `docs/kernel-allocators.md`.
//!
//! ```text
//! main      files ─► pages ─► a trial of each heap ─► a table; or, with --bounds, figures
//! trial     a store of real pages over one heap              compress   lz4 and zstd
//! density   objects of some lengths in pages                 malloc     the C library's as a heap, to compare with
//! soak      random operations, with pins and compaction      resident   memory as the kernel counts it
//! ```
#![expect(clippy::disallowed_macros, reason = "an example: the heaps shown are not the program's")]

mod compress;
mod density;
mod malloc;
mod random;
mod resident;
mod soak;
mod trial;

use base::HandleAllocator;
use clap::{Parser, ValueEnum};
use compress::{Lz4, Zstd};
use core::error::Error;
use heapwright_handle::store::{Compressor, Page};
use heapwright_handle::zsmalloc::Classes;
use heapwright_handle::{XvMalloc, Zbud, ZsMalloc};
use kernel::SourcePages;
use malloc::Malloc;
use source::os::Os;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use trial::{Store, Trial, run};

/// Keeps the pages of shared libraries below /usr/lib in compressed memory, and prints what each heap makes of them.
///
/// The pages are put in, a random half is freed, the heap is compacted, every page that is left is read and compared, and
/// the other half is put in again to time get().
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    /// Load at most this many MiB
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    size: u32,
    /// What makes pages shorter
    #[arg(long, value_enum, default_value = "lz4")]
    compressor: Kind,
    /// Instead of the table, `value NAME NUMBER UNIT` of each figure that `cargo xtask kernel` has a bound for, with this many
    /// random operations on zsmalloc; what is wrong ends in a panic
    #[arg(long, value_name = "OPERATIONS")]
    bounds: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Lz4,
    Zstd,
}

/// Pages of a range of addresses; memory only where it is used.
fn range() -> SourcePages<Os> {
    SourcePages::new(Os, 64 << 30)
}

/// Appends the shared libraries below a path, in the order of their names, until there are `most` bytes; the last page of each
/// is filled up with zeros. Links are not followed, and what may not be read is left out.
fn load(path: &Path, most: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    let kind = fs::symlink_metadata(path)?.file_type();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let done = if kind.is_dir() {
        fs::read_dir(path).and_then(|entries| {
            let mut inside: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
            inside.sort();
            inside.iter().try_for_each(|path| load(path, most, bytes))
        })
    } else if kind.is_file() && (name.ends_with(".so") || name.contains(".so.")) {
        let file = File::open(path);
        file.and_then(|file| file.take((most - bytes.len()) as u64).read_to_end(bytes)).map(|_| ())
    } else {
        Ok(())
    };
    bytes.resize(bytes.len().next_multiple_of(size_of::<Page>()), 0);
    done.or_else(
        |why| if why.kind() == io::ErrorKind::PermissionDenied { Ok(()) } else { Err(why) },
    )
}

/// A trial of zsmalloc, which keeps pages that hardly become shorter as they are.
fn zsmalloc<C: Compressor>(pages: &[Page], make: fn() -> C) -> Result<Trial, Box<dyn Error>> {
    let heap = ZsMalloc::new(range(), Classes::default());
    let raw_from = heap.classes().huge_from();
    let store = || Store::new(range(), heap, make()).raw_from(raw_from);
    run(pages, store, Store::compact, make())
}

/// A trial of a heap that cannot be compacted; `trim` is called instead.
fn other<A: HandleAllocator, C: Compressor>(
    pages: &[Page],
    heap: A,
    make: fn() -> C,
    trim: fn(),
) -> Result<Trial, Box<dyn Error>> {
    let trim = |_: &mut _| {
        trim();
        0
    };
    run(pages, || Store::new(range(), heap, make()).raw_from(4096), trim, make())
}

/// Tries every heap, and prints a table of memory and one of times.
fn compare<C: Compressor>(pages: &[Page], make: fn() -> C) -> Result<(), Box<dyn Error>> {
    let trim = || {
        // SAFETY: it gives free memory back, and nothing else.
        unsafe { libc::malloc_trim(0) };
    };
    // malloc last, as what it does not give back stays in the process.
    let trials = [
        ("zsmalloc", "compacted", zsmalloc(pages, make)?),
        ("xvmalloc", "", other(pages, XvMalloc::new(range()), make, || ())?),
        ("zbud", "", other(pages, Zbud::new(range()), make, || ())?),
        ("malloc", "trimmed", other(pages, Malloc::default(), make, trim)?),
    ];
    println!(
        "{:<20} {:>9} {:>11} {:>9} {:>11} {:>8} {:>9} {:>9}",
        "MiB", "original", "compressed", "used", "used/compr.", "tables", "resident", "of said"
    );
    let mib = |bytes: usize| bytes as f64 / f64::from(1 << 20);
    for (heap, tidied, trial) in &trials {
        let names = [("loaded", *heap), ("half freed", ""), (tidied, "")];
        for (moment, (name, heap)) in trial.moments.iter().zip(names) {
            let (report, resident) = (moment.report, moment.resident.unsigned_abs());
            if !name.is_empty() {
                println!(
                    "{heap:<9} {name:<10} {:9.1} {:11.1} {:9.1} {:11.3} {:8.1} {:9.1} {:9.3}",
                    mib(report.original),
                    mib(report.compressed),
                    mib(report.used),
                    report.overhead(),
                    mib(report.tables),
                    mib(resident),
                    resident as f64 / (report.used + report.tables) as f64,
                );
            }
        }
    }
    let (gone, dropped) = (mib(trials[0].2.gone), mib(trials[0].2.dropped().unsigned_abs()));
    println!("\nused      pages that compressed pages lie in; tables: all that knows of them");
    println!("resident  memory that the process has more; of said: to used and tables");
    println!("zsmalloc  compacting said {gone:.1} MiB, the process has {dropped:.1} MiB less\n");
    println!(
        "ns a page      at random: get   decompress   ratio      in order: get   decompress   ratio"
    );
    for (heap, _, trial) in &trials {
        let [random, order] =
            trial.gets.map(|[get, bare]| format!("{get:9.0} {bare:12.0} {:7.2}", get / bare));
        println!("{heap:<20} {random} {order:>38}");
    }
    println!("\ndecompress: the same bytes, the pages' one after another, in the same order");
    Ok(())
}

fn bounds(pages: &[Page], operations: u64) -> Result<(), Box<dyn Error>> {
    for (at, name) in density::HEAPS.into_iter().enumerate() {
        let (straight, compacted) = density::farthest(at, density::SEEDS)?;
        println!("value density-{name} {straight:.4} of-1");
        if name.starts_with("zsmalloc") {
            println!("value compacted-{name} {compacted:.4} of-1");
        }
    }
    let mut heap = ZsMalloc::new(range(), Classes::default());
    let (compactions, _) = soak::run(&mut heap, operations, 1, soak::compact_as_promised)?;
    println!("value operations {operations} count\nvalue compactions {compactions} count");
    let trial = zsmalloc(pages, Lz4::new)?;
    let [loaded, _, compacted] = &trial.moments;
    println!("value store-bytes {} bytes", size_of_val(pages));
    println!("value store-used {:.4} times", loaded.report.overhead());
    println!("value store-used-compacted {:.4} times", compacted.report.overhead());
    println!("value resident {:.4} times", trial.dropped() as f64 / trial.gone as f64);
    for (order, [get, bare]) in ["at-random", "in-order"].into_iter().zip(trial.gets) {
        println!("value get-{order} {:.4} times\nvalue get-{order}-ns {get:.0} ns", get / bare);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let mut bytes = Vec::new();
    load(Path::new("/usr/lib"), options.size as usize * (1 << 20), &mut bytes)?;
    let pages: &[Page] = bytes.as_chunks().0;
    match (options.bounds, options.compressor) {
        (Some(operations), _) => bounds(pages, operations),
        (None, Kind::Lz4) => compare(pages, Lz4::new),
        (None, Kind::Zstd) => compare(pages, || Zstd::new().expect("memory for zstd")),
    }
}
