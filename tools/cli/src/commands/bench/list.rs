//! `heapwright bench --list`.

use std::process::ExitCode;

use bench::definition::Definition;
use serde_json::json;
use show::{Table, text};

use super::allocators;
use super::workloads::{SETS, definitions};
use crate::flags::allocator::SomeAllocators;
use crate::flags::output::OutputFlags;
use crate::flags::subject::AllocatorArg;
use crate::{allocators as known, out};

/// Prints the sets and the workloads: all, or those that run on one of these allocators.
pub(super) fn print(
    among: &SomeAllocators,
    on_regions: bool,
    output: &OutputFlags,
) -> anyhow::Result<ExitCode> {
    let is_json = output.is_json_or_table("--list")?;
    let mut shown = definitions()?;
    shown.retain(|d| !on_regions || d.region);
    let asked = among.asked();
    if !asked.is_empty() {
        let asked = asked.iter().map(|arg| Asked::of(arg, on_regions));
        let asked = asked.collect::<anyhow::Result<Vec<_>>>()?;
        shown.retain(|d| asked.iter().any(|asked| asked.takes(d)));
    }
    let text = if is_json { json(&shown) } else { table(&shown) };
    out::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// What a name of an allocator means here.
enum Asked {
    All,
    Kernel(String),
    /// A malloc, or what runs on a region.
    Other,
}

impl Asked {
    /// One that there is not is refused.
    fn of(arg: &AllocatorArg, on_regions: bool) -> anyhow::Result<Self> {
        if let Some(name) = arg.plain() {
            if name == "all" {
                return Ok(Self::All);
            }
            if registry::KERNELS.iter().any(|row| row.name == name) {
                return Ok(Self::Kernel(name.to_owned()));
            }
            if on_regions && allocators::region_names().contains(&name) {
                return Ok(Self::Other);
            }
        }
        known::find(arg).map(|_| Self::Other)
    }

    fn takes(&self, workload: &Definition) -> bool {
        match self {
            Self::All => true,
            Self::Kernel(name) => workload.kernels().any(|row| row == name),
            Self::Other => !workload.alone,
        }
    }
}

fn json(shown: &[Definition]) -> String {
    let list: Vec<_> = shown
        .iter()
        .map(|d| {
            json!({
                "name": d.name,
                "set": d.group,
                "standard": d.standard.is_some(),
                "about": d.about,
                "source": d.source,
                "seconds": d.seconds,
                "threads": d.threads,
            })
        })
        .collect();
    format!("{:#}\n", json!(list))
}

fn table(shown: &[Definition]) -> String {
    let mut table = Table::new(["workload", "set", "what it does"]);
    table.has_text = true;
    for d in shown {
        let set = format!("{:?}{}", d.group, if d.standard.is_some() { ", standard" } else { "" });
        table.row([d.name.clone(), set.to_lowercase(), d.about.clone()]);
    }
    let mut text = table.text(text::width());
    text.push('\n');
    for (name, about) in SETS {
        text += &format!("  {name:<10} {about}\n");
    }
    let parameters =
        "heapwright bench larson:threads=8:seed=2; wrong ones are answered with a list";
    text += &format!("\nparameters  {}\n", text::wrapped(parameters, 12, text::width()));
    text += "next        heapwright bench --time 3m\n";
    text
}
