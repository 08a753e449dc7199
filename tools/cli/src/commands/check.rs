//! `heapwright run --check`: can the malloc of this program be replaced? Decided without running it.

use std::path::Path;
use std::process::ExitCode;

use launch::allocator::Allocator;
use launch::inspect::elf::{Defined, Elf};
use launch::inspect::loader::{self, Answer};
use launch::inspect::{Finding, Inspection, Level};
use serde_json::json;
use show::text::{self, wrapped};

use super::run::inspected;
use crate::flags::form::Form;
use crate::flags::program::Program;
use crate::{format, style};

/// Prints what was found; the exit code is 0 when the program is usable, else 1.
pub(crate) fn check(
    file: &Path,
    program: &Program,
    allocator: &Allocator,
    form: Form,
) -> anyhow::Result<ExitCode> {
    let mut found = inspected(file, program.arguments())?;
    ask_the_loader(&mut found, allocator);
    tell_of_plugins(&mut found, allocator);
    let usable = found.is_usable();
    let verdict = if let (true, Some(own)) = (usable, &found.own_malloc) {
        let text = format!("usable in part: what calls the {own} inside it keeps that");
        Finding::warn("verdict", text)
    } else if usable {
        let mut words = vec!["heapwright".to_owned(), "run".to_owned(), "--".to_owned()];
        words.extend(program.words());
        Finding::ok("verdict", format!("usable; try: {}", format::shell(&words)))
    } else {
        Finding::fail("verdict", "not usable: a preloaded malloc has no effect on it")
    };
    found.findings.push(verdict);
    let json = json!({
        "program": found.program(),
        "allocator": allocator.name,
        "usable": usable,
        "findings": found.findings,
    });
    form.print(&lines(&found.findings), &json)?;
    Ok(ExitCode::from(u8::from(!usable)))
}

/// Adds what the program's own loader says about the library.
fn ask_the_loader(found: &mut Inspection, allocator: &Allocator) {
    let (Some(library), Some(loader), true) =
        (allocator.library(), &found.loader, found.is_usable())
    else {
        return;
    };
    if !loader::is_glibc(loader) {
        return;
    }
    let target = found.program().unwrap_or(Path::new(""));
    let (level, text) = match loader::ask(loader, target, library) {
        Answer::Accepts => {
            (Level::Ok, format!("loads {} before all other libraries", library.display()))
        }
        Answer::Refuses(said) => (Level::Fail, format!("does not load {}: {said}", allocator.name)),
        Answer::Unknown(said) => (Level::Warn, format!("cannot tell what it would load: {said}")),
    };
    let finding = Finding::new("loader", level, text);
    found.findings.push(finding);
}

/// Adds what holds for libraries that the program opens while it runs: no file tells which, nor how.
fn tell_of_plugins(found: &mut Inspection, allocator: &Allocator) {
    let (Some(library), true) = (allocator.library(), found.is_usable()) else { return };
    let Ok(Some(elf)) = Elf::read(library) else { return };
    let finding = if elf.dlopen == Defined::Exported {
        Finding::ok(
            "plugins",
            "RTLD_DEEPBIND is cleared, so they share this malloc (deepbind=1 leaves it); with dlmopen they have their own",
        )
    } else {
        Finding::warn(
            "plugins",
            format!(
                "opened with RTLD_DEEPBIND they keep the C library's malloc, and free with it what {} gave",
                allocator.name
            ),
        )
    };
    found.findings.push(finding);
}

/// Lines of level, subject and text, in columns.
pub(crate) fn lines(findings: &[Finding]) -> String {
    let mut lines = String::new();
    let width = findings.iter().map(|f| f.subject.chars().count()).max().unwrap_or(0);
    for finding in findings {
        let level = style::level(finding.level);
        let gap = " ".repeat(4 - finding.level.to_string().len());
        lines += &format!(
            "  {level}{gap}  {:width$}  {}\n",
            finding.subject,
            wrapped(&format::visible(&finding.text), width + 10, text::width())
        );
    }
    lines
}
