//! `cargo xtask split`: what the peak memory of workloads is made of.
//!
//! Each workload runs once on heapwright with `stats=peak`, which prints what the heap was made of when it was largest
//! (`heapwright run --set stats=peak -- CMD` does so for any program). Beside it stands what the workload says that it had asked
//! for at one time: live memory is more by the rounding to size classes, and less where it was not all touched.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use bench::definition::{Definition, parse_all};
use clap::Args;

use crate::command::{self, cargo};
use crate::figures;
use crate::peers::{root, target_dir};

/// What the peak memory of workloads is made of, in MiB
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Workloads, or groups of them: texts, community, ours
    #[arg(default_values = ["texts", "community", "ours"])]
    workloads: Vec<String>,
    /// How long the workloads are
    #[arg(long, default_value = "0.1")]
    scale: String,
    /// Another library in heapwright's place
    #[arg(long, value_name = "PATH", env = "HEAPWRIGHT_SO")]
    lib: Option<PathBuf>,
    /// The command to run with, instead of building it
    #[arg(long, value_name = "PATH")]
    heapwright: Option<PathBuf>,
}

/// What begins the rows of the table at exit, and the row that ends them.
const TITLE: &str = "the heap's memory at its largest";
const LAST: &str = "all of the heap";

/// The columns that rows of the table are added up to, by what their names begin with.
const COLUMNS: [(&str, &[&str]); 7] = [
    ("live", &["live"]),
    ("threads", &["kept"]),
    ("between live", &["free objects"]),
    ("slabs' rest", &["holes", "tails", "empty"]),
    ("free", &["free, not yet"]),
    ("in huge pages", &["free, given back"]),
    ("books", &["maps"]),
];

/// The chore; it has no bounds to fail.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let heapwright = command::heapwright(options.heapwright.as_deref())?;
    command::finish(cargo().args([
        "build",
        "--release",
        "--quiet",
        "--package",
        "heapwright-workloads",
    ]))?;
    let header: Vec<&str> =
        ["MiB", "asked for", "the heap"].into_iter().chain(COLUMNS.map(|c| c.0)).collect();
    let mut table = figures::table(&header);
    for definition in chosen(&options.workloads)? {
        let said = outcome(options, &heapwright, &definition)?;
        let mut figures = vec![asked_for(&said)];
        figures.extend(largest(&said).iter().flat_map(|rows| columns(rows)).map(Some));
        let figures =
            figures.iter().map(|bytes| bytes.map_or_else(|| "–".to_owned(), |b| format!("{b:.1}")));
        table.add_row(core::iter::once(definition.name.clone()).chain(figures));
    }
    println!("{table}");
    Ok(true)
}

/// The definitions of workloads of ours that the names mean.
pub(crate) fn chosen(names: &[String]) -> Result<Vec<Definition>, String> {
    let folder = root().join("bench/definitions");
    let mut texts = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?.flatten()
    {
        let text = fs::read_to_string(entry.path())
            .map_err(|e| format!("{}: {e}", entry.path().display()))?;
        texts.push((entry.file_name().to_string_lossy().into_owned(), text));
    }
    let mut all = parse_all(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())))
        .map_err(|e| e.to_string())?;
    let group = |d: &Definition| format!("{:?}", d.group).to_lowercase();
    if let Some(name) =
        names.iter().find(|name| !all.iter().any(|d| d.name == **name || group(d) == **name))
    {
        return Err(format!("there is no workload or group {name}"));
    }
    all.retain(|d| d.is_in_process() && names.iter().any(|n| *n == d.name || *n == group(d)));
    Ok(all)
}

/// What a run prints.
fn outcome(options: &Options, heapwright: &Path, d: &Definition) -> Result<String, String> {
    let library = options.lib.as_ref().map(|path| format!("heapwright={}", path.display()));
    let out = Command::new(heapwright)
        .args(["run", "-a", library.as_deref().unwrap_or("heapwright")])
        .args(["--set", "stats=peak", "--"])
        .arg(target_dir().join("release/heapwright-workloads"))
        .arg(d.workload.as_ref().unwrap_or(&d.name))
        .args(&d.args)
        .arg(format!("scale={}", options.scale))
        .output()
        .map_err(|e| format!("{}: {e}", heapwright.display()))?;
    let said = [out.stdout, out.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if out.status.success() {
        Ok(said.concat())
    } else {
        Err(format!("{} ended with {}: {}", d.name, out.status, said[1]))
    }
}

/// MiB that the workload says it had asked for at one time.
fn asked_for(said: &str) -> Option<f64> {
    let bytes = said.lines().filter_map(|line| line.strip_prefix("peak_live ")?.parse().ok());
    bytes.reduce(f64::max).map(|bytes: f64| bytes / f64::from(1 << 20))
}

/// The rows of the process whose heap was largest: names and resident MiB, the sum at the end.
fn largest(said: &str) -> Option<Vec<(String, f64)>> {
    let tables = said.split(TITLE).skip(1).map(|text| {
        let mut rows: Vec<(String, f64)> = Vec::new();
        let is_whole = |rows: &[(String, f64)]| rows.last().is_some_and(|row| row.0 == LAST);
        for row in text.lines().skip(1).map_while(row) {
            rows.push(row);
            if is_whole(&rows) {
                break;
            }
        }
        rows
    });
    let sum = |rows: &Vec<(String, f64)>| rows.last().map_or(0.0, |row| row.1);
    tables.max_by(|one, other| sum(one).total_cmp(&sum(other)))
}

/// `name  HELD KiB  RESIDENT KiB  SHARE%`
fn row(line: &str) -> Option<(String, f64)> {
    let cells: Vec<&str> =
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    let [name, _, resident, ..] = cells[..] else { return None };
    let kib: f64 = resident.split(' ').next()?.parse().ok()?;
    Some((name.to_owned(), kib / 1024.0))
}

/// The whole, and each of [`COLUMNS`].
fn columns(rows: &[(String, f64)]) -> Vec<f64> {
    let of = |begins: &[&str]| -> f64 {
        let rows = rows.iter().filter(|(name, _)| begins.iter().any(|b| name.starts_with(b)));
        rows.map(|(_, mib)| mib).sum()
    };
    core::iter::once(of(&[LAST])).chain(COLUMNS.iter().map(|(_, begins)| of(begins))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_table_is_read_and_its_columns_add_up() {
        let table = |live: u32, sum: u32| {
            format!(
                "  {TITLE}           held         resident\n    live, in slabs                   18748 KiB        {live} KiB   60.8%\n    live, in runs                     7712 KiB         1024 KiB   25.0%\n    free, not yet given back          1408 KiB         1024 KiB    4.5%\n    all of the heap                  34368 KiB        {sum} KiB  100.0%\n  threads with a cache                          1 now, 1 ever\n"
            )
        };
        let said = format!("peak_live 2097152\n{}{}", table(1024, 3072), table(2048, 4096));
        assert_eq!(asked_for(&said), Some(2.0));
        let figures = columns(&largest(&said).unwrap());
        assert_eq!(figures[..3], [4.0, 3.0, 0.0]);
        assert!((figures[1..].iter().sum::<f64>() - figures[0]).abs() < 0.01, "{figures:?}");
        assert_eq!(largest("nothing"), None);
    }

    #[test]
    fn groups_and_names_are_found() {
        let names = |words: &[&str]| -> Vec<String> {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            chosen(&words).unwrap().into_iter().map(|d| d.name).collect()
        };
        assert_eq!(names(&["larson"]), ["larson"]);
        assert!(names(&["texts"]).len() > 5);
        assert!(chosen(&["no-such".to_owned()]).is_err());
    }
}
