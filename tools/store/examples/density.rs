//! Densities of the handle heaps for six distributions of lengths, beside those of a model of the kernel's.

use base::{Compact as _, HandleError};
use clap::Parser;
use flate2::{Compress, Compression, FlushCompress};
use handle::zsmalloc::{Classes, Rule};
use handle::{XvMalloc, Zbud, ZsMalloc};
use heapwright_store::density::{Densities, Lengths, OBJECTS, mean};
use heapwright_store::files::{Which, load};
use kernel::SourcePages;
use source::os::Os;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Fills each heap with 20,000 objects, frees a random half, compacts and fills again, and prints how much of the pages is
/// objects. In brackets: what a model of the kernel's rules gave; a star marks what is more than 0.01 from it. For the
/// lengths of real pages the model had other files, so there the brackets only show what is alike.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Options {
    /// Runs of which the mean is printed, each from another seed
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    seeds: u32,
    /// Text whose pages zlib compresses; the model had the C files of Linux's mm folder
    #[arg(long, default_value = "/usr/include")]
    text: PathBuf,
    /// Shared libraries whose pages zlib compresses
    #[arg(long, default_value = "/usr/lib")]
    libraries: PathBuf,
    /// Read at most this many MiB of each
    #[arg(long, default_value_t = 256)]
    size: usize,
}

/// A line of the model's table: fill, half, compact, refill; 0: it has none.
type Line = [f64; 4];

/// Of xvmalloc, zsmalloc with chains of 4, 8 and 16, and zbud.
struct Model {
    name: &'static str,
    lines: [Line; 5],
}

const MODEL: [Model; 6] = [
    Model {
        name: "uniform 1 to 4,096",
        lines: [
            [0.984, 0.675, 0.0, 0.984],
            [0.923, 0.599, 0.915, 0.920],
            [0.945, 0.545, 0.918, 0.933],
            [0.903, 0.488, 0.826, 0.890],
            [0.958, 0.654, 0.0, 0.0],
        ],
    },
    Model {
        name: "uniform 32 to 3,072",
        lines: [
            [0.982, 0.593, 0.0, 0.982],
            [0.939, 0.499, 0.931, 0.932],
            [0.942, 0.487, 0.918, 0.924],
            [0.900, 0.459, 0.816, 0.874],
            [0.755, 0.503, 0.0, 0.0],
        ],
    },
    Model {
        name: "80 % 1,024 to 2,600, 10 % below 64, 10 % any",
        lines: [
            [0.927, 0.600, 0.0, 0.928],
            [0.932, 0.513, 0.919, 0.932],
            [0.934, 0.487, 0.897, 0.923],
            [0.864, 0.441, 0.767, 0.846],
            [0.806, 0.538, 0.0, 0.0],
        ],
    },
    Model {
        name: "uniform 2,049 to 3,072",
        lines: [
            [0.625, 0.625, 0.0, 0.626],
            [0.942, 0.503, 0.942, 0.943],
            [0.976, 0.502, 0.972, 0.969],
            [0.971, 0.495, 0.954, 0.958],
            [0.625, 0.625, 0.0, 0.0],
        ],
    },
    Model {
        name: "pages of text, zlib level 1 (the model: Linux mm/*.c, mean 1,672)",
        lines: [
            [0.835, 0.553, 0.0, 0.835],
            [0.947, 0.511, 0.944, 0.940],
            [0.969, 0.494, 0.958, 0.956],
            [0.953, 0.480, 0.920, 0.935],
            [0.816, 0.546, 0.0, 0.0],
        ],
    },
    Model {
        name: "pages of shared libraries, zlib level 1 (the model: mean 1,297)",
        lines: [
            [0.987, 0.572, 0.0, 0.985],
            [0.938, 0.513, 0.926, 0.928],
            [0.936, 0.498, 0.898, 0.909],
            [0.867, 0.453, 0.782, 0.840],
            [0.629, 0.421, 0.0, 0.0],
        ],
    },
];

const HEAPS: [&str; 5] =
    ["xvmalloc", "zsmalloc, chains of 4", "zsmalloc, chains of 8", "zsmalloc, 16", "zbud"];

fn measure(heap: usize, lengths: Lengths<'_>, seeds: u32) -> Result<Densities, HandleError> {
    let pages = || SourcePages::new(Os, 1 << 30);
    match heap {
        0 => mean(|| XvMalloc::new(pages()), lengths, seeds, |_| ()),
        4 => mean(|| Zbud::new(pages()), lengths, seeds, |_| ()),
        chain => {
            let make = || ZsMalloc::new(pages(), Classes::new(Rule::LeastWaste, 2 << chain));
            mean(make, lengths, seeds, |heap| _ = heap.compact())
        }
    }
}

/// The lengths that zlib leaves of the pages of files; what it makes no shorter is a page.
fn zlib(folder: &Path, which: Which, most: usize) -> Result<Vec<usize>, String> {
    let loaded =
        load(&[folder.to_owned()], which, most << 20).map_err(|error| error.to_string())?;
    let mut out = vec![0; 8192];
    let mut lengths = Vec::with_capacity(loaded.pages().len());
    for page in loaded.pages() {
        let mut zlib = Compress::new(Compression::new(1), true);
        let done = zlib.compress(page, &mut out, FlushCompress::Finish);
        done.map_err(|error| format!("zlib: {error}"))?;
        lengths.push(usize::try_from(zlib.total_out()).map_or(4096, |len| len.min(4096)));
    }
    if lengths.is_empty() {
        return Err(format!("{}: no pages there", folder.display()));
    }
    Ok(lengths)
}

fn cell(measured: f64, model: f64, same_lengths: bool) -> String {
    if model == 0.0 {
        return format!("{measured:.3}         ");
    }
    let star = if same_lengths && (measured - model).abs() > 0.01 { '*' } else { ' ' };
    format!("{measured:.3} ({model:.3}){star}")
}

fn print(model: &Model, lengths: Lengths<'_>, seeds: u32) -> Result<(), String> {
    println!("{}", model.name);
    let same = !matches!(lengths, Lengths::Measured(_));
    if let Lengths::Measured(lengths) = lengths {
        let sum: usize = lengths.iter().sum();
        println!("{} pages here, mean {}", lengths.len(), sum / lengths.len());
    }
    println!(
        "{:<22} {:<15} {:<15} {:<15} {:<15} refilled after compacting",
        "", "filled", "half freed", "compacted", "refilled"
    );
    for (heap, line) in model.lines.iter().enumerate() {
        let found = measure(heap, lengths, seeds).map_err(|error| error.to_string())?;
        let compacts = (1..=3).contains(&heap);
        let compact = if compacts { cell(found.compact, line[2], same) } else { String::from("-") };
        let after = if compacts { format!("{:.3}", found.refill_compacted) } else { "-".into() };
        println!(
            "{:<22} {:<15} {:<15} {compact:<15} {:<15} {after}",
            HEAPS[heap],
            cell(found.fill, line[0], same),
            cell(found.half, line[1], same),
            cell(found.refill, line[3], same),
        );
    }
    println!();
    Ok(())
}

fn go(options: &Options) -> Result<(), String> {
    println!("{OBJECTS} objects, the mean of {} runs\n", options.seeds);
    let text = zlib(&options.text, Which::Every, options.size)?;
    let libraries = zlib(&options.libraries, Which::Libraries, options.size)?;
    let lengths = [
        Lengths::Uniform(1, 4096),
        Lengths::Uniform(32, 3072),
        Lengths::Mixed,
        Lengths::Uniform(2049, 3072),
        Lengths::Measured(&text),
        Lengths::Measured(&libraries),
    ];
    MODEL.iter().zip(lengths).try_for_each(|(model, lengths)| print(model, lengths, options.seeds))
}

fn main() -> ExitCode {
    match go(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("density: {error}");
            ExitCode::FAILURE
        }
    }
}
