//! A session that counts instead of taking times: what comes out is the same on a busy machine.
//!
//! ```text
//! each workload, pinned to one processor             as many at once as there are processors
//!   each subject, the baseline first, each in a process of its own
//!     plain            thrown away: it fills the page cache, and scripts make their inputs
//!     plain × 5        page faults, and which malloc it computes on
//!     cachegrind × 2   instructions, and misses of caches that do not depend on the machine's
//!     strace × 2       system calls
//! ```
//!
//! What varies is taken away: addresses are not random ([`fix_addresses`]), and the environment is the launcher's fixed one where
//! the program is not the user's own. What still varies (the time of day, threads) leaves a workload out: [`Definition::uncountable`].
//! A malloc that goes by the clock or by random numbers varies too: then what its runs differed by is the interval of its count.
//! The baseline is counted twice under two names, as everywhere: what those differ by is what two runs differ by.
//!
//! [`Definition::uncountable`]: crate::definition::Definition::uncountable

mod tools;

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::runner::{Judged, add, asked_for, judge, other_malloc, time_limit};
use super::{
    Failure, How, Observer, Options, Pass, Session, Step, Stop, Subject, SubjectIndex,
    WorkloadIndex,
};
use crate::cpus;
use crate::fail_if::Metric;
use crate::measured::{Error, Job, Launcher, Ran};
use crate::workload::Workload;

pub use tools::Tools;

/// What was counted of one workload on one subject: a number for each run that was made for it.
pub type Counts = BTreeMap<Metric, Vec<f64>>;

/// Runs under each tool: a malloc that goes by the clock or by random numbers counts something else each time, which shows.
const TOOLED: usize = 2;

/// Runs whose page faults are counted: the one thing that the rest of the machine has a hand in.
const PLAIN: usize = 5;

/// A program under a tool takes about this many times as long, at most.
const SLOWER: u32 = 100;

/// Has programs that this process starts from now on find everything at the same addresses; what to say if the kernel refuses.
pub fn fix_addresses() -> Option<String> {
    const FIXED: libc::c_ulong = libc::ADDR_NO_RANDOMIZE as libc::c_ulong;
    // SAFETY: the call takes a number and touches no memory; this one only asks.
    let now = unsafe { libc::personality(0xffff_ffff) };
    let now = libc::c_ulong::try_from(now).unwrap_or(0);
    // SAFETY: as above; it is for programs that are executed from now on.
    let is_refused = unsafe { libc::personality(now | FIXED) } < 0;
    is_refused.then(|| {
        "the kernel leaves addresses random here, so page faults vary by a few from run to run"
            .to_owned()
    })
}

/// Counts every workload under every subject.
/// Errors: heapwright itself could not do its part. What the programs do is in the session.
pub fn run(
    launcher: &Launcher,
    workloads: Vec<Workload>,
    subjects: Vec<Subject>,
    (tools, options): (&Tools, &Options),
    observer: &mut (dyn Observer + Send),
    interrupted: &AtomicBool,
) -> Result<Session, Error> {
    let began = Instant::now();
    let mut session = Session::new(workloads, subjects);
    // The longest first, so that no processor is left with it at the end.
    let mut queue: Vec<WorkloadIndex> = session.workload_indices().collect();
    queue.sort_by(|a, b| session.workloads[*a].seconds.total_cmp(&session.workloads[*b].seconds));
    let all = queue.len() * session.subjects.len();
    let (works, subjects) = (&session.workloads, &session.subjects);
    // Where scripts make their inputs they do so in the first run, on the C library's malloc.
    let mut order: Vec<SubjectIndex> = session.subject_indices().collect();
    order.sort_by_key(|subject| *subject != session.baseline());
    let shared = Mutex::new(Shared { queue, done: 0, found: Vec::new(), observer });
    let counter = Counter { launcher, tools, options, interrupted, all, works, subjects, order };
    let ended: Vec<Result<(), Error>> = thread::scope(|scope| {
        let (counter, shared) = (&counter, &shared);
        let workers: Vec<_> = cpus::own()
            .into_iter()
            .map(|cpu| scope.spawn(move || counter.until_the_queue_is_empty(cpu, shared)))
            .collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
    });
    ended.into_iter().collect::<Result<(), Error>>()?;
    for (workload, subject, counted) in locked(&shared).found.drain(..) {
        match counted {
            Ok(counts) => session.counts[workload][subject] = counts,
            Err(failure) => session.failures[workload][subject] = Some(failure),
        }
    }
    if interrupted.load(Ordering::Relaxed) {
        session.stops.fill(Stop::Interrupted);
    }
    session.elapsed = began.elapsed();
    Ok(session)
}

struct Shared<'a> {
    /// What is still to be counted, the next one last.
    queue: Vec<WorkloadIndex>,
    done: usize,
    found: Vec<(WorkloadIndex, SubjectIndex, Result<Counts, Failure>)>,
    observer: &'a mut (dyn Observer + Send),
}

fn locked<'a, 'b>(shared: &'a Mutex<Shared<'b>>) -> std::sync::MutexGuard<'a, Shared<'b>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Counter<'a> {
    launcher: &'a Launcher,
    tools: &'a Tools,
    options: &'a Options,
    interrupted: &'a AtomicBool,
    all: usize,
    works: &'a [Workload],
    subjects: &'a [Subject],
    order: Vec<SubjectIndex>,
}

enum Missing {
    Interrupted,
    Failed(Failure),
    Broken(Error),
}

impl Counter<'_> {
    fn until_the_queue_is_empty(
        &self,
        cpu: usize,
        shared: &Mutex<Shared<'_>>,
    ) -> Result<(), Error> {
        loop {
            let Some(workload) = locked(shared).queue.pop() else { return Ok(()) };
            let work = &self.works[workload.0];
            for &at in &self.order {
                let subject = &self.subjects[at.0];
                let mut all = locked(shared);
                let share = all.done as f64 / self.all as f64;
                all.done += 1;
                if work.skips(subject).is_some() {
                    continue;
                }
                all.observer.running(&Step {
                    pass: Pass::Count,
                    round: 0,
                    workload: &work.name,
                    subject: &subject.name,
                    share,
                    noise: None,
                });
                drop(all);
                let counted = match self.count(work, subject, cpu) {
                    Ok(counts) => Ok(counts),
                    Err(Missing::Interrupted) => return Ok(()),
                    Err(Missing::Broken(error)) => {
                        // The others need not go on for nothing.
                        locked(shared).queue.clear();
                        return Err(error);
                    }
                    Err(Missing::Failed(failure)) => {
                        locked(shared).observer.failed(&work.name, &subject.name, &failure);
                        Err(failure)
                    }
                };
                locked(shared).found.push((workload, at, counted));
            }
        }
    }

    fn count(&self, work: &Workload, subject: &Subject, cpu: usize) -> Result<Counts, Missing> {
        let run = |tool: &[OsString]| self.once(work, subject, cpu, tool);
        let broken = |what| move |why| Missing::Broken(Error::System(what, why));
        run(&[])?;
        let mut counts = Counts::new();
        let mut programs = Vec::new();
        for _ in 0..PLAIN {
            let ran = run(&[])?;
            let faults = (ran.figures.minor_faults + ran.figures.major_faults) as f64;
            counts.entry(Metric::Faults).or_default().push(faults);
            add(&mut programs, ran.programs);
        }
        let asked = asked_for(subject, &work.variables(subject)) && !self.options.any_malloc;
        // Of all runs together: in one of a few milliseconds hardly any of what computes is seen.
        if let Some(said) = other_malloc(&programs).filter(|_| asked) {
            return Err(failed(How::OtherMalloc, said));
        }
        for _ in 0..TOOLED {
            let folder = self.tools.folder().map_err(Missing::Broken)?;
            run(&self.tools.cachegrind(folder.path()))?;
            let misses = tools::misses(folder.path());
            for (metric, count) in misses.map_err(broken("read what cachegrind wrote"))? {
                counts.entry(metric).or_default().push(count);
            }
            run(&self.tools.strace(folder.path()))?;
            let calls = tools::calls(folder.path()).map_err(broken("read what strace wrote"))?;
            counts.entry(Metric::Calls).or_default().push(calls);
        }
        Ok(counts)
    }

    fn once(
        &self,
        work: &Workload,
        subject: &Subject,
        cpu: usize,
        tool: &[OsString],
    ) -> Result<Ran, Missing> {
        let mut argv = work.arguments(&subject.allocator, Pass::Count);
        let mut file = work.file.as_path();
        if let Some(program) = tool.first() {
            // A tool finds no file by the name that the program has for itself.
            argv.splice(..1, tool.iter().cloned().chain([file.as_os_str().to_owned()]));
            file = program.as_ref();
        }
        let environment = work.variables(subject);
        let expected = Duration::from_secs_f64(work.seconds);
        let expected = if tool.is_empty() { expected } else { expected * SLOWER };
        let job = Job {
            environment: &environment,
            show_output: self.options.show_output,
            timeout: self.options.timeout,
            limit: (work.seconds > 0.0).then(|| time_limit(expected, None)),
            cpus: &[cpu],
            ..Job::new(file, &argv)
        };
        let outcome = self.launcher.run(&job, self.interrupted).map_err(|error| {
            // The user's signal may reach the helper first.
            match self.interrupted.load(Ordering::Relaxed) {
                true => Missing::Interrupted,
                false => Missing::Broken(error),
            }
        })?;
        match judge(outcome, self.options.ignore_failure) {
            Judged::Good(ran) => Ok(*ran),
            Judged::Bad(how, stderr) => Err(failed(how, stderr)),
            Judged::Interrupted => Err(Missing::Interrupted),
        }
    }
}

fn failed(how: How, stderr: String) -> Missing {
    Missing::Failed(Failure { how, round: 0, stderr })
}

/// What workloads have in the environment, so that the user's does not move their stack.
pub fn environment() -> Vec<(OsString, OsString)> {
    let path = env::var_os("PATH").unwrap_or_default();
    [("PATH", path), ("HOME", "/".into()), ("LC_ALL", "C".into())]
        .map(|(key, value)| (key.into(), value))
        .to_vec()
}
