//! `heapwright bench --list`.

use std::process::ExitCode;

use comfy_table::{ContentArrangement, Table, presets};

use super::workloads::{SETS, definitions};

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
    for line in table.to_string().lines() {
        println!("{}", line.trim_end());
    }
    println!();
    for (name, about) in SETS {
        println!("  {name:<10} {about}");
    }
    println!(
        "\nparameters  heapwright bench larson:threads=8:seed=2; wrong ones are answered with a list"
    );
    println!("next        heapwright bench --time 3m");
    Ok(ExitCode::SUCCESS)
}
