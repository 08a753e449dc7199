//! `heapwright bench --list`.

use std::process::ExitCode;

use comfy_table::{ContentArrangement, Table, presets};

use super::workloads::{SETS, definitions};
use crate::out;

/// Prints the sets and the workloads.
pub(super) fn print() -> anyhow::Result<ExitCode> {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    // In a pipe each workload stays on one line.
    if let Some((width, _)) = terminal_size::terminal_size() {
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width.0.max(60));
    }
    table.set_header(["workload", "set", "what it does"]);
    for d in definitions()? {
        let set = format!("{:?}{}", d.group, if d.standard.is_some() { ", standard" } else { "" });
        table.add_row([d.name, set.to_lowercase(), d.about]);
    }
    let mut text = String::new();
    for line in table.to_string().lines() {
        text += &format!("{}\n", line.trim_end());
    }
    text.push('\n');
    for (name, about) in SETS {
        text += &format!("  {name:<10} {about}\n");
    }
    text += "\nparameters  heapwright bench larson:threads=8:seed=2; wrong ones are answered with a list\n";
    text += "next        heapwright bench --time 3m\n";
    out::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
