//! Keeps real files' pages in compressed memory, over each heap that can hold them, and says what that costs.

use base::HandleAllocator;
use clap::{Parser, ValueEnum};
use handle::store::Page;
use handle::zsmalloc::{Classes, Rule};
use handle::{XvMalloc, Zbud, ZsMalloc};
use heapwright_store::blocks::{BlockHeap, CBlocks, KernelBlocks};
use heapwright_store::compress::{Either, Lz4, Zstd};
use heapwright_store::files::{Which, load};
use heapwright_store::trial::{Gets, Moment, Nanoseconds, Store, Trial, TrialError, run};
use kernel::SourcePages;
use source::os::Os;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

/// Keeps the pages of real files in compressed memory, and prints what each heap underneath makes of them.
///
/// The pages are put in, a random half is freed, the heap is compacted, every page that is left is read and compared, and
/// the other half is put in again to time get().
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    /// Folders or files to load; shared libraries below them are taken, in the order of their names
    #[arg(default_value = "/usr/lib")]
    folders: Vec<PathBuf>,
    /// Load every file, not only shared libraries
    #[arg(long)]
    every_file: bool,
    /// Load at most this many MiB
    #[arg(long, default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    size: u32,
    /// What makes pages shorter
    #[arg(long, value_enum, default_value = "lz4")]
    compressor: Kind,
    /// Level of zstd
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(i32).range(1..=22))]
    level: i32,
    /// Pages of zsmalloc's longest chain
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=16))]
    chain: u8,
    /// Heaps to compare
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Heap::ALL)]
    heap: Vec<Heap>,
    /// Which half is freed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Do not time get()
    #[arg(long)]
    no_timing: bool,
    /// Print the kernel's mm_stat line for each heap and moment too
    #[arg(long)]
    mm_stat: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Lz4,
    Zstd,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Heap {
    Zsmalloc,
    Xvmalloc,
    Zbud,
    Kmalloc,
    Malloc,
}

impl Heap {
    const ALL: [Heap; 5] =
        [Heap::Zsmalloc, Heap::Xvmalloc, Heap::Zbud, Heap::Kmalloc, Heap::Malloc];

    const fn name(self) -> &'static str {
        match self {
            Heap::Zsmalloc => "zsmalloc",
            Heap::Xvmalloc => "xvmalloc",
            Heap::Zbud => "zbud",
            Heap::Kmalloc => "kmalloc",
            Heap::Malloc => "malloc",
        }
    }
}

/// Addresses for a heap; memory only where it is used.
const RANGE: usize = 64 << 30;

impl Options {
    fn compressor(&self) -> io::Result<Either> {
        Ok(match self.compressor {
            Kind::Lz4 => Either::Lz4(Lz4::new()),
            Kind::Zstd => Either::Zstd(Zstd::new(self.level)?),
        })
    }

    /// Runs one heap over the pages.
    fn trial(&self, heap: Heap, pages: &[Page]) -> Result<Trial, TrialError> {
        let from = || SourcePages::new(Os, RANGE);
        match heap {
            Heap::Zsmalloc => {
                let classes = Classes::new(Rule::LeastWaste, self.chain.into());
                let raw_from = classes.huge_from();
                let heap = || ZsMalloc::new(from(), classes);
                self.run(pages, heap, raw_from, Store::compact)
            }
            Heap::Xvmalloc => self.run(pages, || XvMalloc::new(from()), 4096, |_| 0),
            Heap::Zbud => self.run(pages, || Zbud::new(from()), 4096, |_| 0),
            Heap::Kmalloc => {
                let heap = || BlockHeap::new(KernelBlocks::new(Os, RANGE));
                self.run(pages, heap, 4096, |_| 0)
            }
            Heap::Malloc => {
                let trim = |_: &mut _| {
                    // SAFETY: it gives free memory back, and nothing else.
                    unsafe { libc::malloc_trim(0) };
                    0
                };
                self.run(pages, || BlockHeap::new(CBlocks::default()), 4096, trim)
            }
        }
    }

    fn run<A: HandleAllocator>(
        &self,
        pages: &[Page],
        heap: impl FnOnce() -> A,
        raw_from: usize,
        compact: impl FnOnce(&mut Store<A>) -> usize,
    ) -> Result<Trial, TrialError> {
        let (store, bare) = (self.compressor()?, self.compressor()?);
        let make = || Store::new(SourcePages::new(Os, RANGE), heap(), store).raw_from(raw_from);
        run(pages, self.seed, make, compact, (!self.no_timing).then_some(bare))
    }
}

fn mib(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn signed_mib(bytes: isize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// The lines of a heap: one for each moment.
fn write_moments(out: &mut impl io::Write, heap: Heap, trial: &Trial) -> io::Result<()> {
    let tidied = if heap == Heap::Malloc { "trimmed" } else { "compacted" };
    let moments = [("loaded", trial.loaded), ("half freed", trial.half), (tidied, trial.compacted)];
    for (line, (name, moment)) in moments.iter().enumerate() {
        // The others cannot be.
        if line == 2 && !matches!(heap, Heap::Zsmalloc | Heap::Malloc) {
            continue;
        }
        let heap = if line == 0 { heap.name() } else { "" };
        let Moment { report, resident } = moment;
        writeln!(
            out,
            "{heap:<9} {name:<10} {:9.1} {:11.1} {:9.1} {:11.3} {:8.1} {:9.1} {:9.3}",
            mib(report.original),
            mib(report.compressed),
            mib(report.used),
            report.overhead(),
            mib(report.tables),
            signed_mib(*resident),
            *resident as f64 / moment.promised() as f64,
        )?;
    }
    Ok(())
}

fn go(options: &Options) -> Result<(), String> {
    let which = if options.every_file { Which::Every } else { Which::Libraries };
    let most = options.size as usize * (1 << 20);
    let loaded = load(&options.folders, which, most).map_err(|error| error.to_string())?;
    let pages: &[Page] = loaded.bytes.as_chunks().0;
    if pages.is_empty() {
        return Err("there is no file to load; --every-file takes others than libraries".into());
    }
    let mut out = io::stdout().lock();
    let mut print = || -> io::Result<()> {
        let kind = match options.compressor {
            Kind::Lz4 => String::from("lz4"),
            Kind::Zstd => format!("zstd, level {}", options.level),
        };
        let (count, files, chain) = (pages.len(), loaded.files, options.chain);
        writeln!(
            out,
            "{count} pages ({:.1} MiB) of {files} files, {kind}, zsmalloc with chains of {chain}\n",
            mib(loaded.bytes.len())
        )?;
        let columns = ["used/compr.", "tables", "resident", "of said"];
        let [ratio, tables, resident, of_said] = columns;
        writeln!(
            out,
            "{:<20} {:>9} {:>11} {:>9} {ratio:>11} {tables:>8} {resident:>9} {of_said:>9}",
            "MiB", "original", "compressed", "used"
        )?;
        Ok(())
    };
    print().map_err(|error| error.to_string())?;
    let mut trials = Vec::new();
    for &heap in &options.heap {
        let trial =
            options.trial(heap, pages).map_err(|error| format!("{}: {error}", heap.name()))?;
        write_moments(&mut out, heap, &trial).map_err(|error| error.to_string())?;
        trials.push((heap, trial));
    }
    write_rest(&mut out, options, &trials).map_err(|error| error.to_string())
}

/// Compaction, times, and the kernel's lines.
fn write_rest(
    out: &mut impl io::Write,
    options: &Options,
    trials: &[(Heap, Trial)],
) -> io::Result<()> {
    writeln!(
        out,
        "\nused      pages that compressed pages lie in; tables: all that knows of them"
    )?;
    writeln!(out, "resident  memory that the process has more; of said: to used and tables")?;
    for (heap, trial) in trials.iter().filter(|(_, trial)| trial.gone > 0) {
        let (gone, dropped) = (mib(trial.gone), signed_mib(trial.dropped));
        writeln!(
            out,
            "\n{}: compacting said {gone:.1} MiB, the process has {dropped:.1} MiB less ({:.3})",
            heap.name(),
            dropped / gone
        )?;
    }
    if trials.iter().any(|(_, trial)| trial.gets.is_some()) {
        writeln!(
            out,
            "\n{:<20} {:>9} {:>11} {:>9}     in order {:>9} {:>11} {:>9}",
            "ns a page, at random", "get", "decompress", "ratio", "get", "decompress", "ratio"
        )?;
        for (heap, trial) in trials {
            if let Some(Gets { at_random, in_order }) = trial.gets {
                let columns = |times: Nanoseconds| {
                    let Nanoseconds { store, bare } = times;
                    format!("{store:9.0} {bare:11.0} {:9.3}", store / bare)
                };
                let (random, order) = (columns(at_random), columns(in_order));
                writeln!(out, "{:<20} {random} {:12} {order}", heap.name(), "")?;
            }
        }
        writeln!(
            out,
            "\ndecompress: the same bytes, the pages' one after another, in the same order"
        )?;
    }
    if options.mm_stat {
        writeln!(
            out,
            "\nmm_stat: original compressed used limit used_max same compacted huge since"
        )?;
        for (heap, trial) in trials {
            for moment in [trial.loaded, trial.half, trial.compacted] {
                writeln!(out, "{:<9} {}", heap.name(), moment.report)?;
            }
        }
    }
    out.flush()
}

fn main() -> ExitCode {
    match go(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("compressed_store: {error}");
            ExitCode::FAILURE
        }
    }
}
