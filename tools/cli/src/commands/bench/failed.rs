//! A measurement in which nothing ran to its end: why, in words.

use std::io;

use anyhow::anyhow;
use bench::definition::Group;
use bench::session::{How, Session, WorkloadIndex};
use launch::resolve;

pub(super) fn fails_everywhere(session: &Session) -> anyhow::Error {
    let name = |w: WorkloadIndex| match session.workloads[w].group {
        Group::Own => "the program".to_owned(),
        _ => session.workloads[w].name.clone(),
    };
    let mut text = String::new();
    for w in session.workload_indices() {
        let Some(failure) = session.failures[w].iter().flatten().next() else { continue };
        if !text.is_empty() {
            text.push('\n');
        }
        let on = match failure.how {
            How::NotEnded | How::NotDriven | How::EndedEarly => "",
            _ => " fails on every allocator:",
        };
        text += &format!("{}{on} {}", name(w), failure.how.words());
        for line in report::last_lines(&failure.stderr, 5) {
            text.push_str("\n  | ");
            text.push_str(line);
        }
        if matches!(failure.how, How::Ended(launch::Exit::Code(_))) {
            text.push_str("\n  (if that is no failure: --ignore-failure)");
        }
    }
    if text.is_empty() {
        return anyhow!("nothing was run");
    }
    match not_started(session) {
        Some(error) => error.context(text),
        None => anyhow!(text),
    }
}

fn not_started(session: &Session) -> Option<anyhow::Error> {
    let w = session.workload_indices().next()?;
    let mut failures = session.failures[w].iter().flatten();
    match (session.workloads[w].group, failures.next()?.how) {
        (Group::Own, How::NotStarted(errno)) => {
            let why = io::Error::from_raw_os_error(errno);
            Some(resolve::Error::not_executed(&session.workloads[w].file, why).into())
        }
        _ => None,
    }
}
