//! The tables, in Markdown: the same text for the terminal and for `docs/benchmarks.md`.

use super::definition::Definition;
use super::figures::{Line, geometric};
use super::machine;
use super::plan::Samples;
use crate::peers::{self, Allocator};
use comfy_table::{Table, presets};

/// The figures against their bounds.
pub(super) fn bounds(lines: &[Line]) -> String {
    let mut table = markdown(&["", "figure", "over the rounds", "bound", ""]);
    for line in lines {
        table.add_row([
            line.says.as_str(),
            line.figure.trim_end(),
            &line.spread,
            &line.bound,
            if line.holds { "pass" } else { "**FAIL**" },
        ]);
    }
    table.to_string()
}

/// Medians of the workload under every allocator.
pub(super) fn medians(
    definition: &Definition,
    samples: &Samples,
    allocators: &[Allocator],
) -> String {
    let columns = definition.columns();
    let titles = columns.iter().map(|c| c.title.as_str());
    let mut table = markdown(&core::iter::once("").chain(titles).collect::<Vec<_>>());
    for allocator in allocators {
        let value = |column: &super::definition::Column| {
            let median = samples.median(&definition.name, &allocator.name, &column.key);
            median.map_or_else(
                || "failed".to_owned(),
                |v| format!("{:.*}", column.digits, v / column.divide),
            )
        };
        table.add_row(core::iter::once(allocator.name.clone()).chain(columns.iter().map(value)));
    }
    table.to_string()
}

/// Time and peak of the real programs as ratios to glibc, with their geometric means.
pub(super) fn real(
    real: &[&Definition],
    samples: &Samples,
    allocators: &[Allocator],
    base: &str,
) -> String {
    let mut text = String::new();
    for (title, key) in [("CPU time", "cpu_us"), ("peak RSS", "peak_kib")] {
        let names = real.iter().map(|d| d.name.as_str());
        let heading = format!("{title} ÷ {base}'s");
        let first = core::iter::once(heading.as_str());
        let mut table = markdown(&first.chain(names).chain(["all"]).collect::<Vec<_>>());
        for allocator in allocators {
            let ratio = |d: &&Definition| {
                let mine = samples.median(&d.name, &allocator.name, key)?;
                Some(mine / samples.median(&d.name, base, key)?)
            };
            let ratios: Vec<Option<f64>> = real.iter().map(ratio).collect();
            let all = geometric(ratios.iter().copied());
            let cell =
                |r: Option<f64>| r.map_or_else(|| "failed".to_owned(), |r| format!("{r:.3}"));
            let cells = ratios.into_iter().chain([all]).map(cell);
            table.add_row(core::iter::once(allocator.name.clone()).chain(cells));
        }
        text.push_str(&format!("{table}\n\n"));
    }
    text.trim_end().to_owned()
}

/// The machine and the allocators.
pub(super) fn machine(allocators: &[Allocator], measured: &str) -> String {
    let mut table = markdown(&["machine", ""]);
    for (name, value) in machine::describe() {
        table.add_row([name, &value]);
    }
    table.add_row(["measured", measured]);
    let mut shown = allocators.to_vec();
    for allocator in &mut shown {
        // The path of this checkout is nobody's business.
        if let Ok(inside) = allocator.path.strip_prefix(peers::root()) {
            allocator.path = inside.to_owned();
        } else if let Ok(inside) = allocator.path.strip_prefix(peers::target_dir()) {
            allocator.path = std::path::Path::new("target").join(inside);
        }
    }
    format!("{table}\n\n{}", peers::table(&shown))
}

fn markdown(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header.to_vec());
    table
}
