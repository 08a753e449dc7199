//! The grid of t-test1: threads by largest size, on `thread-caching` and on glibc; the text's table. Its plots are those of
//! `heapwright bench t-test1-grid -o DIR`.

use std::path::Path;

use bench::result::Report;

use super::compared;
use crate::judge::{Bounds, Line};
use crate::{command, figures};

const WORKLOAD: &str = "t-test1-grid";
const OURS: &str = "thread-caching";
const GLIBC: &str = "glibc";
const THREADS: [u32; 6] = [1, 2, 4, 8, 16, 20];
const SIZES: [u32; 12] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131_072];

/// What an allocator's curves say of a point: million operations a second.
fn at(report: &Report, allocator: &str, series: &str, size: u32) -> Option<f64> {
    let cell = report.cell_of(report.workloads.first()?, allocator)?;
    let points = &cell.series.iter().find(|curve| curve.name == series)?.points;
    let is_size = |x: f64| (x - f64::from(size)).abs() < 0.5;
    points.iter().find(|(x, _)| is_size(*x)).map(|(_, y)| *y)
}

fn name(threads: u32) -> String {
    format!("threads={threads}")
}

pub(super) fn lines(bounds: &Bounds, heapwright: &Path, quick: bool) -> Result<Vec<Line>, String> {
    // 20 times the workload's 50,000 are a million operations a thread.
    let (scale, rounds) = if quick { ("2", "6") } else { ("20", "6") };
    eprintln!("classics: the grid of t-test1");
    let allocators = format!("{GLIBC},{OURS}");
    let words = [WORKLOAD, "-a", &allocators, "--scale", scale, "--rounds", rounds, "--no-tails"];
    let report = command::bench(heapwright, &words.map(str::to_owned))?;
    print_table(&report);
    let figure = |name: &str| {
        let (value, shown) = if name == "ahead" { ahead(&report) } else { kept(&report) };
        compared(value, shown, &report)
    };
    Ok(bounds.judge("grid", quick, figure).into_iter().map(|line| line.of(OURS)).collect())
}

fn print_table(report: &Report) {
    let threads: Vec<String> = THREADS.iter().map(|count| format!("{count} threads")).collect();
    let mut header = vec!["thread-caching ÷ glibc: operations a second"];
    header.extend(threads.iter().map(String::as_str));
    let mut table = figures::table(header);
    for size in SIZES {
        let cells = THREADS.iter().map(|&threads| {
            let both = [OURS, GLIBC].map(|who| at(report, who, &name(threads), size));
            let [Some(ours), Some(glibc)] = both else { return "–".to_owned() };
            format!("{ours:.2} ÷ {glibc:.2} = {:.2}", ours / glibc)
        });
        table.add_row(core::iter::once(format!("to {size} B")).chain(cells));
    }
    println!("{table}\n");
}

fn ahead(report: &Report) -> (Option<f64>, Option<String>) {
    let (mut ahead, mut missing) = (0_u32, 0_u32);
    for threads in THREADS {
        for size in SIZES {
            let both = [OURS, GLIBC].map(|who| at(report, who, &name(threads), size));
            match both {
                [Some(ours), Some(glibc)] => ahead += u32::from(ours > glibc),
                _ => missing += 1,
            }
        }
    }
    let all = u32::try_from(THREADS.len() * SIZES.len()).unwrap_or(u32::MAX);
    let some = if missing > 0 { "; some not measured" } else { "" };
    let shown = format!("{ahead} of {all}{some}");
    (Some(f64::from(ahead) / f64::from(all)), Some(shown))
}

/// Its throughput with 20 threads ÷ that with 2: the mean over all sizes.
fn kept(report: &Report) -> (Option<f64>, Option<String>) {
    let ratio = |size: &u32| {
        let [two, twenty] = [2, 20].map(|threads| at(report, OURS, &name(threads), *size));
        Some((*size, twenty? / two?))
    };
    let Some(ratios) = SIZES.iter().map(ratio).collect::<Option<Vec<_>>>() else {
        return (None, None);
    };
    let all: Vec<f64> = ratios.iter().map(|(_, ratio)| *ratio).collect();
    let least = ratios.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
    let mean = figures::geometric_mean(&all);
    (mean, mean.map(|mean| format!("{mean:.3} (least {:.2}, to {} B)", least.1, least.0)))
}
