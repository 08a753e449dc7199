//! `cargo xtask ci`: the steps of `.ci/run`, of which a change takes those that it can break.
//!
//! [`steps`] has them, [`forms`] how each is run; [`change`] asks git what is different, [`plan`] chooses by it, [`queue`] runs
//! what was chosen, two at a time.

mod change;
mod forms;
mod plan;
mod queue;
mod steps;
mod tally;

use core::time::Duration;
use std::process::ExitCode;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use clap::Args;

use crate::layers;
use crate::peers::root;
use forms::{Form, Outcome};
use plan::Plan;
use steps::Step;
pub(crate) use steps::table;

/// The steps of .ci/run
///
/// Without a word: what must pass with every change, and what this one can break, against the commit that .ci/verified names.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// all: every step in its whole form, and .ci/verified written; plan [PATH…]: only says what would be taken, of this change
    /// or of one of these paths, and why; list: the steps; or steps by their names, one after the other
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Steps that are named in their whole form
    #[arg(long)]
    all: bool,
    /// What the step test tests, instead of the whole workspace
    #[arg(long = "package", value_name = "NAME")]
    packages: Vec<String>,
}

pub(crate) fn run(options: Options) -> ExitCode {
    let Options { words, all, packages } = options;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ended = match words[..] {
        [] => this_change().and_then(|plan| taken(&plan)),
        ["all"] => taken(&Plan::everything("all was asked for")),
        ["list"] => {
            steps::all().iter().for_each(|step| println!("{}", step.name));
            Ok(true)
        }
        ["plan"] => this_change().map(|plan| shown(&plan)),
        ["plan", ref paths @ ..] => {
            of(paths.iter().map(|&path| path.to_owned()).collect()).map(|plan| shown(&plan))
        }
        ref names => match chosen(names) {
            Ok(steps) => Ok(one_by_one(&steps, &Form { all, packages })),
            Err(unknown) => {
                eprintln!("xtask ci: there is no step {unknown:?}; cargo xtask ci list has them");
                return ExitCode::from(2);
            }
        },
    };
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("ci: {why}");
            ExitCode::FAILURE
        }
    }
}

fn this_change() -> Result<Plan, String> {
    match change::since_verified(&root()) {
        Ok((paths, verified)) => {
            println!("ci: {} paths differ from {verified}, for which all passed", paths.len());
            of(paths)
        }
        Err(why) => Ok(Plan::everything(&why)),
    }
}

fn of(paths: Vec<String>) -> Result<Plan, String> {
    Ok(Plan::of(&layers::packages()?, &paths))
}

/// Runs a plan. The last line has the form of cargo's own: it adds up the tests that cargo reported and counts each other step
/// as one test.
fn taken(plan: &Plan) -> Result<bool, String> {
    let began = began();
    shown(plan);
    let (tally, failures) = queue::run(plan);
    // Said last, where it is found.
    print!("{failures}");
    if plan.all && tally.failed == 0 {
        // That git cannot say it, or nothing may be written, is no failure of a step.
        println!("ci: {}", change::verified(&root()).unwrap_or_else(|why| why));
    }
    println!("{}", tally.line(began.elapsed().unwrap_or_default()));
    Ok(tally.failed == 0)
}

/// When `.ci/run` began to build this program; else now.
fn began() -> SystemTime {
    let seconds = std::env::var("HEAPWRIGHT_CI_BEGAN").ok().and_then(|began| began.parse().ok());
    seconds.map_or_else(SystemTime::now, |began| UNIX_EPOCH + Duration::from_secs(began))
}

fn shown(plan: &Plan) -> bool {
    print!("{}", plan.shown());
    true
}

fn chosen<'a>(names: &[&'a str]) -> Result<Vec<&'static Step>, &'a str> {
    names
        .iter()
        .map(|&name| steps::all().iter().find(|step| step.name == name).ok_or(name))
        .collect()
}

fn one_by_one(steps: &[&Step], form: &Form) -> bool {
    let mut failed = Vec::new();
    for step in steps {
        eprintln!("ci {}: {}", step.name, step.what);
        let start = Instant::now();
        let outcome = step.run(form);
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Outcome::Passed => eprintln!("ci {}: passed in {seconds:.1} s", step.name),
            Outcome::Skipped(why) => eprintln!("ci {}: skipped: {why}", step.name),
            Outcome::Failed(why) => {
                eprintln!("ci {}: FAILED in {seconds:.1} s: {why}", step.name);
                failed.push(step.name.as_str());
            }
        }
    }
    if failed.is_empty() {
        return true;
    }
    eprintln!("ci: failed: {}", failed.join(", "));
    false
}

#[cfg(test)]
mod tests;
