//! `heapwright list`: the allocators of this machine.

use std::process::ExitCode;

use clap::Args;
use launch::allocator::Allocator;
use launch::discover::{self, Found};
use launch::probe;
use serde_json::json;
use show::{Table, text};

use crate::flags::form::Form;
use crate::flags::settings;
use crate::{allocators, embedded};

const EXAMPLES: &str = include_str!("list/help.txt");

/// Show the allocators of this machine
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct List {
    /// The form of the list: table or json
    #[arg(long, value_name = "FORMAT", default_value = "table", hide_possible_values = true)]
    format: Form,
}

impl List {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let executable = allocators::this_executable()?;
        let tried = |ours: Allocator| {
            let problem = probe::ask(&executable, &ours).err().map(|e| e.to_string());
            Found { allocator: ours, problem }
        };
        let mut found = vec![
            tried(allocators::heapwright()?),
            Found { allocator: Allocator::glibc(), problem: None },
        ];
        found.extend(allocators::classics()?.into_iter().map(tried));
        found.extend(discover::installed(&executable));
        let rows = registry::KERNELS.iter().map(|row| {
            json!({
                "name": row.name,
                "kind": row.kind.word(),
                "about": row.about,
                "abilities": row.abilities,
                "settings": row.settings,
            })
        });
        let of = |f: &Found| {
            json!({
                "name": f.allocator.name,
                "version": f.allocator.version,
                "abilities": abilities(&f.allocator.name),
                "settings": settings::keys(&f.allocator),
                "library": f.allocator.library,
                "problem": f.problem,
            })
        };
        let list: Vec<_> = found.iter().map(of).chain(rows).collect();
        let next = "next     heapwright bench -- CMD   compares them on a program";
        let [found, kernels] = [table(&found), kernels()].map(|t| t.text(text::width()));
        self.format.print(&format!("{found}\n{kernels}\n{next}\n"), &json!(list))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// What one of ours can do beside a malloc's calls; `None`: it is not ours.
fn abilities(name: &str) -> Option<&'static [&'static str]> {
    let of_row = registry::MALLOCS.iter().find(|row| row.name == name).map(|row| row.abilities);
    of_row.or((name == embedded::ALL[0].name).then_some(registry::FLAGSHIP))
}

/// The keys that one of ours has and no other, in words.
fn own_settings(name: &str) -> String {
    let row = registry::MALLOCS.iter().find(|row| row.name == name);
    of_its_own(row.map_or(&[], |row| row.settings))
}

fn of_its_own(settings: &[&str]) -> String {
    match settings {
        [] => String::new(),
        some => format!("; settings: {}", some.join(" ")),
    }
}

/// The allocators of the kernel's, which no program can be run on.
fn kernels() -> Table {
    let mut table = Table::new(["of a kernel", "hands out", "abilities", "what it is"]);
    table.has_text = true;
    for row in registry::KERNELS {
        let about = format!("{}{}", row.about, of_its_own(row.settings));
        table.row([row.name, row.kind.word(), &row.abilities.join(" "), &about]);
    }
    table
}

fn table(found: &[Found]) -> Table {
    let mut table = Table::new(["name", "version", "library"]);
    table.has_text = true;
    for f in found {
        let library = match (f.allocator.library(), &f.problem) {
            (None, _) => "the C library's own malloc".to_owned(),
            (Some(path), None) => match abilities(&f.allocator.name) {
                Some(words) => {
                    format!("built in: {}{}", words.join(" "), own_settings(&f.allocator.name))
                }
                None => path.display().to_string(),
            },
            (Some(path), Some(problem)) => {
                format!("{}\n  cannot be used: {problem}", path.display())
            }
        };
        let version = f.allocator.version.clone().unwrap_or_else(|| "-".to_owned());
        table.row([f.allocator.name.clone(), version, library]);
    }
    table
}
