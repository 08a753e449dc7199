//! `cargo xtask blocks`: the block allocators beside others, by `bench/blocks`; with `--write` the
//! raw values go to `bench/record`, the pictures and tables to `docs/blocks.md`.

use crate::command::cargo;
use crate::peers::{output, root};
use bench::machine::{Busyness, Machine};
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

const BEGIN: &str = "<!-- written by cargo xtask blocks --write: begin -->";
const END: &str = "<!-- written by cargo xtask blocks --write: end -->";

/// The command.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let write = args.iter().any(|arg| arg == "--write");
    let partial = args.iter().any(|arg| arg == "--only" || arg == "--quick");
    if write && partial {
        eprintln!("blocks: --write keeps complete runs only: leave out --only and --quick");
        return ExitCode::from(2);
    }
    let args: Vec<&String> = args.iter().filter(|arg| *arg != "--write").collect();
    match act(&args, write) {
        Ok(code) => code,
        Err(why) => {
            eprintln!("blocks: {why}");
            ExitCode::FAILURE
        }
    }
}

fn act(args: &[&String], write: bool) -> Result<ExitCode, String> {
    let machine = Machine::describe();
    let busy = Busyness::now().load_warning(machine.cores);
    if let Some(busy) = &busy {
        eprintln!("blocks: {busy}");
    }
    let when = output(Command::new("date").args(["-u", "+%Y-%m-%dT%H%MZ"]))?.trim().to_owned();
    let csv = root().join("bench/record").join(slug(&machine)).join(format!("{when}-blocks.csv"));
    let mut command = cargo();
    command.args(["run", "--release", "--quiet", "--package", "heapwright-blocks", "--"]);
    command.args(args).stderr(Stdio::inherit());
    if write {
        command.arg("--csv").arg(&csv).arg("--pictures").arg(root().join("docs/pictures"));
    }
    let run = command.output().map_err(|e| format!("cargo did not start: {e}"))?;
    let tables = String::from_utf8_lossy(&run.stdout).trim().to_owned();
    // Whoever reads may have seen enough; what is to be written is written all the same.
    match writeln!(io::stdout(), "{tables}") {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            return Err(format!("cannot print the tables: {e}"));
        }
        _ => {}
    }
    let Some(code) = run.status.code() else { return Err(run.status.to_string()) };
    if write && !tables.is_empty() {
        let busy = busy.map_or_else(String::new, |busy| format!("; {busy}"));
        let commit = output(Command::new("git").args(["rev-parse", "--short", "HEAD"]))?;
        let machine =
            format!("{}\n\nMeasured {when} on commit {}{busy}.", machine.line(), commit.trim());
        let doc = root().join("docs/blocks.md");
        splice(&doc, &format!("{tables}\n\n### Machine\n\n{machine}"))?;
        eprintln!("wrote {} and {}", csv.display(), doc.display());
    }
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// A folder's name for machines alike: `x86_64-2x-intel-r-xeon-r-processor`.
fn slug(machine: &Machine) -> String {
    let cpu = machine.cpu.to_ascii_lowercase();
    let words: Vec<&str> =
        cpu.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    format!("{}-{}x-{}", machine.arch, machine.cores, words.join("-"))
}

/// Replaces what is between the markers of `file`.
fn splice(file: &Path, text: &str) -> Result<(), String> {
    let said = |e: std::io::Error| format!("{}: {e}", file.display());
    let old = fs::read_to_string(file).map_err(said)?;
    let new = between(&old, text).ok_or_else(|| {
        format!("{}: the lines {BEGIN:?} and {END:?} are missing", file.display())
    })?;
    fs::write(file, new).map_err(said)
}

fn between(old: &str, text: &str) -> Option<String> {
    let (before, rest) = old.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{text}\n\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_has_the_folder_of_its_records() {
        let machine = Machine {
            arch: "x86_64".to_owned(),
            cpu: "Intel(R) Xeon(R) Processor".to_owned(),
            cores: 2,
            ..Machine::default()
        };
        assert_eq!(slug(&machine), "x86_64-2x-intel-r-xeon-r-processor");
    }

    #[test]
    fn only_what_is_between_the_markers_is_replaced() {
        let old = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        let new = format!("before\n{BEGIN}\n\nnew\n\n{END}\nafter\n");
        assert_eq!(between(&old, "new"), Some(new));
        assert_eq!(between("no markers", "new"), None);
    }
}
