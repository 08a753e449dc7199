//! `replay --verify`: every allocator does the plan once, with every block filled and checked.

use core::sync::atomic::AtomicBool;
use std::process::ExitCode;

use bench::launch::Exit;
use bench::measured::{Job, Launcher, Outcome};
use bench::session::{Pass, Role, Subject};
use bench::workload::Workload;
use show::Table;

use crate::{exit, out};

/// Verifies all, and prints what came of it. `locate` says which of all calls is at a word of the plan.
pub(super) fn all(
    launcher: &Launcher,
    workload: &Workload,
    subjects: &[Subject],
    locate: &dyn Fn(u64) -> Option<u64>,
    came: &AtomicBool,
) -> anyhow::Result<ExitCode> {
    let mut table = Table::new(["allocator", "every block of it"]);
    let mut code = 0;
    for subject in subjects.iter().filter(|s| s.role != Role::Control) {
        let mut argv = workload.arguments(&subject.allocator, Pass::Time);
        argv.push("verify=1".into());
        let environment = workload.variables(subject);
        let job = Job {
            environment: &environment,
            cpus: &workload.cpus,
            capture: true,
            ..Job::new(&workload.file, &argv)
        };
        let (said, failed) = match launcher.run(&job, came)? {
            Outcome::Interrupted => return Ok(ExitCode::from(exit::INTERRUPTED)),
            Outcome::Ran(ran) => match ran.figures.exit {
                Exit::Code(0) => ("kept its contents".to_owned(), 0),
                Exit::Code(1) => (broken(&ran.said, locate), exit::CROSSED),
                Exit::Code(_) => (ran.said.trim().to_owned(), exit::SOME_FAILED),
                Exit::Signal(signal) => {
                    let said = ran.said.trim();
                    (format!("ended by signal {signal} {said}").trim().to_owned(), exit::CROSSED)
                }
            },
            Outcome::NotStarted(errno) => (format!("not started ({errno})"), exit::SOME_FAILED),
            Outcome::TimedOut(said) | Outcome::NotDriven(said) | Outcome::EndedEarly(said) => {
                (said, exit::SOME_FAILED)
            }
        };
        if code != exit::CROSSED {
            code = code.max(failed);
        }
        if failed == exit::CROSSED {
            code = failed;
        }
        table.row([subject.name.clone(), said]);
    }
    out::print(&table.text(show::text::width()))?;
    Ok(ExitCode::from(code))
}

/// What the program said, with the number of the call: `wrong: … (thread 1, word 512 of the plan)`. What it frees at its end
/// is no call of the plan's.
fn broken(said: &str, locate: &dyn Fn(u64) -> Option<u64>) -> String {
    let said = said.trim();
    let said = said.strip_prefix("wrong: ").unwrap_or(said);
    let place = said.rsplit_once(" (thread ").and_then(|(what, place)| {
        let (thread, word) = place.strip_suffix(" of the plan)")?.split_once(", word ")?;
        Some((what, thread, locate(word.parse().ok()?)))
    });
    match place {
        Some((what, thread, Some(call))) => {
            format!("{what} (call {} of all, by thread {thread})", call + 1)
        }
        Some((what, _, None)) => format!("{what} (after the last call, when all is freed)"),
        None => said.to_owned(),
    }
}
