//! A workload that can be run: a definition with its files, its length and its processors; or the user's own command.

use core::ops::{Deref, DerefMut};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cpus;
use crate::definition::{Curve, Definition, Group, Unit};
use crate::measured::Service;
use crate::result::{Replayed, without_folders};
use crate::session::{Pass, Role, Subject};
use launch::allocator::Allocator;
use launch::resolve;

/// What a recorded call takes about, with the touching of its memory.
const SECONDS_A_CALL: f64 = 100e-9;

#[derive(Debug, Clone)]
pub struct Places {
    /// `heapwright-workloads`.
    pub workloads: PathBuf,
    /// The folder with the scripts and inputs of the real programs.
    pub files: PathBuf,
    /// A folder that lives as long as the measurement.
    pub temporary: PathBuf,
    pub scale: f64,
    pub seed: u64,
    pub pin: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Workload {
    /// Its name has its parameters, and its seconds are those at its scale.
    definition: Definition,
    /// Memory to warm before the first run.
    pub warm_bytes: u64,
    pub file: PathBuf,
    /// Its arguments, `argv[0]` included.
    pub argv: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
    /// The processors it is pinned to; none: all.
    pub cpus: Vec<usize>,
    pub service: Option<Service>,
    /// It is a recorded program, done again.
    pub replayed: Option<Replayed>,
    /// Names of contenders that nothing is asked of here.
    pub left_out: Vec<String>,
}

impl Deref for Workload {
    type Target = Definition;

    fn deref(&self) -> &Definition {
        &self.definition
    }
}

impl DerefMut for Workload {
    fn deref_mut(&mut self) -> &mut Definition {
        &mut self.definition
    }
}

impl Workload {
    /// The user's own command.
    pub fn own(name: String, file: PathBuf, argv: Vec<OsString>) -> Self {
        let definition = Definition { name, ..Definition::default() };
        Self { definition, file, argv, ..Self::default() }
    }

    /// A recorded program, done again by the program `file` from `plan`; `options` are more words for it.
    pub fn replay(replayed: Replayed, file: PathBuf, plan: &Path, options: &[String]) -> Self {
        let mut argv = vec![file.clone().into_os_string(), plan.into()];
        argv.extend(options.iter().map(OsString::from));
        // No more threads compute at one time than there are processors.
        let threads = replayed.threads.try_into().unwrap_or(u32::MAX);
        let definition = Definition {
            name: replayed.name.clone(),
            group: Group::Trace,
            about: format!("the calls of malloc of {}", without_folders(&replayed.command)),
            source: without_folders(&replayed.trace),
            threads,
            unit: Some(Unit::Ns),
            curve: Some(Curve { x: "calls".to_owned(), y: "bytes".to_owned(), ..Curve::default() }),
            tail: true,
            by_part: true,
            seconds: replayed.events as f64 * SECONDS_A_CALL,
            ..Definition::default()
        };
        Self {
            definition,
            file,
            argv,
            warm_bytes: replayed.peak_live,
            cpus: cpus::choose(threads),
            replayed: Some(replayed),
            ..Self::default()
        }
    }

    /// Makes a definition ready. `parameters` are more `KEY=VALUE` for a workload of ours.
    pub fn of(
        definition: &Definition,
        parameters: &[String],
        places: &Places,
    ) -> Result<Self, String> {
        if let Some(missing) =
            definition.needs.iter().find(|n| resolve::command(n.as_ref()).is_err())
        {
            return Err(format!("{}: {missing} is not installed", definition.name));
        }
        let scale = definition.scale_at(places.scale);
        let (file, argv) = if definition.group.is_in_process() {
            let name = definition.workload.as_ref().unwrap_or(&definition.name);
            let mut argv = vec![places.workloads.clone().into_os_string(), name.into()];
            argv.extend(definition.args.iter().map(OsString::from));
            argv.push(format!("scale={scale}").into());
            argv.push(format!("seed={}", places.seed).into());
            argv.extend(parameters.iter().map(OsString::from));
            (places.workloads.clone(), argv)
        } else {
            if !parameters.is_empty() {
                return Err(format!("{} is a program and has no parameters", definition.name));
            }
            let argv: Vec<OsString> =
                definition.command.iter().map(|word| expand(word, places, scale).into()).collect();
            let file = argv.first().map_or_else(Default::default, |a| a.as_os_str().to_owned());
            let file = resolve::command(&file).map_err(|e| format!("{}: {e}", definition.name))?;
            (file, argv)
        };
        let value = |v: &String| OsString::from(expand(v, places, scale));
        Ok(Self {
            definition: Definition {
                name: [core::slice::from_ref(&definition.name), parameters].concat().join(":"),
                seconds: definition.seconds_at(places.scale),
                ..definition.clone()
            },
            warm_bytes: warm_bytes(definition.warm_mib, scale),
            file,
            argv,
            environment: definition.env.iter().map(|(k, v)| (k.into(), value(v))).collect(),
            cpus: if places.pin { cpus::choose(definition.threads) } else { Vec::new() },
            ..Self::default()
        })
    }

    /// Whether its time is that of the part it measures: it waits most of the time, or does other things for each allocator.
    pub fn is_by_part(&self) -> bool {
        self.group.is_in_process() && (self.by_part || self.threads == 0)
    }

    /// Whether the first run makes files that stay for the next ones, as a database: what that takes is not what a run takes.
    pub fn keeps_files(&self) -> bool {
        self.command.iter().any(|word| word.contains("{temporary}"))
    }

    /// Whether it is a server that nobody drives: how long it runs says nothing.
    pub fn is_only_watched(&self) -> bool {
        self.service.as_ref().is_some_and(|service| service.driver.is_none())
    }

    pub fn skips(&self, subject: &Subject) -> Option<&'static str> {
        let name = subject.allocator.in_process.as_deref().unwrap_or_default();
        if subject.role == Role::Contender && self.left_out.contains(&subject.name) {
            return Some("is not asked about it");
        }
        if self.alone && !self.kernels().any(|row| row == name) {
            return Some("is about the kernel's allocators only");
        }
        match (&subject.allocator.in_process, subject.role) {
            (Some(_), Role::Floor) if self.unit.is_none() => Some("counts no calls"),
            (Some(name), Role::Contender | Role::Baseline | Role::Control) => {
                let is_kernels = registry::KERNELS.iter().any(|row| row.name == name);
                let takes = self.kernels().any(|row| row == name);
                match (is_kernels, takes) {
                    (true, false) => Some("is for other allocators"),
                    (false, _) if !self.region && self.kernel.is_empty() => {
                        Some("needs more than a region")
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub fn arguments(&self, allocator: &Allocator, pass: Pass) -> Vec<OsString> {
        let mut argv = self.argv.clone();
        if self.group.is_in_process() {
            argv.extend(allocator.word().map(|word| format!("allocator={word}").into()));
            if pass == Pass::Tail {
                argv.push("tail=1".into());
            }
        }
        argv
    }

    pub fn variables(&self, subject: &Subject) -> Vec<(OsString, OsString)> {
        let mut all = self.environment.clone();
        all.extend(subject.environment.iter().cloned());
        all
    }
}

/// Replaces `{files}`, `{python3}`, `{temporary}` and `{scale:N}`.
fn expand(text: &str, places: &Places, scale: f64) -> String {
    let mut text = text
        .replace("{files}", &places.files.to_string_lossy())
        .replace("{temporary}", &places.temporary.to_string_lossy());
    if text.contains("{python3}") {
        text = text.replace("{python3}", &python().to_string_lossy());
    }
    while let Some((before, rest)) = text.split_once("{scale:")
        && let Some((number, after)) = rest.split_once('}')
    {
        let number = number.parse::<f64>().unwrap_or(1.0) * scale;
        text = format!("{before}{:.0}{after}", number.round().max(1.0));
    }
    text
}

/// The interpreter itself, behind whatever script is called so.
fn python() -> PathBuf {
    let usual = Some(PathBuf::from("/usr/bin/python3")).filter(|file| file.exists());
    usual.unwrap_or_else(|| resolve::command("python3".as_ref()).unwrap_or_default())
}

/// What is warmed before a workload's first run; a shorter run needs less.
fn warm_bytes(mib: u32, scale: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of at most 4 GiB of MiB"
    )]
    let bytes = (f64::from(mib) * scale.min(1.0) * f64::from(1 << 20)) as u64;
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places {
            workloads: "/w/heapwright-workloads".into(),
            files: "/f".into(),
            temporary: "/t".into(),
            scale: 0.5,
            seed: 3,
            pin: false,
        }
    }

    fn definition(more: &str) -> Definition {
        let group = if more.contains("command =") { "real" } else { "ours" };
        let text = format!(
            "name = 'x'\ngroup = '{group}'\norder = 1\nabout = 'a'\nseconds = 2.0\nthreads = 1\n{more}"
        );
        Definition::parse("x.toml", &text).unwrap()
    }

    #[test]
    fn ours_get_scale_seed_and_parameters() {
        let d = definition("workload = 'y'\nargs = ['threads=2']\nunit = 'ns'\n");
        let w = Workload::of(&d, &["threads=8".to_owned()], &places()).unwrap();
        let words =
            ["/w/heapwright-workloads", "y", "threads=2", "scale=0.5", "seed=3", "threads=8"];
        assert_eq!(w.argv, words.map(OsString::from));
        assert_eq!((w.name.as_str(), w.seconds), ("x:threads=8", 1.0));
        let null = w.arguments(&Allocator::in_process("null"), Pass::Tail);
        assert_eq!(null[6..], ["allocator=null", "tail=1"].map(OsString::from));
    }

    #[test]
    fn commands_are_expanded_and_what_is_missing_is_named() {
        let d = definition("command = ['sh', '{files}/a.sh', '{scale:400}', '{scale:1}']\n");
        let w = Workload::of(&d, &[], &places()).unwrap();
        assert_eq!(w.argv, ["sh", "/f/a.sh", "200", "1"].map(OsString::from));
        assert!(w.file.is_absolute());
        let d = definition("command = ['sh']\nneeds = ['no-such-program']\n");
        assert_eq!(
            Workload::of(&d, &[], &places()).unwrap_err(),
            "x: no-such-program is not installed"
        );
    }

    #[test]
    fn short_ones_are_longer_up_to_the_whole() {
        let at = |longer: &str, scale| {
            let d = definition(&format!("longer = {longer}\nfixed = 0.5\n"));
            (d.scale_at(scale), d.seconds_at(scale))
        };
        assert_eq!((at("4", 0.125), at("16", 0.125)), ((0.5, 1.25), (1.0, 2.0)));
        assert_eq!((at("4", 1.0), at("4", 2.0)), ((1.0, 2.0), (2.0, 3.5)), "the user's word");
        let d = definition("command = ['sh', '{scale:400}']\nlonger = 1.5\n");
        assert_eq!(Workload::of(&d, &[], &places()).unwrap().argv[1], "300");
        let short = "name = 'x'\ngroup = 'ours'\norder = 1\nabout = 'a'\nseconds = 2.0\nthreads = 1\nlonger = 0.5";
        let why = Definition::parse("x.toml", short).unwrap_err().to_string();
        assert_eq!(why, "x.toml: longer is 1 or more");
    }

    #[test]
    fn who_takes_part_is_what_the_definition_is_for() {
        let of = |allocator, role| Subject {
            name: String::new(),
            allocator,
            role,
            environment: Vec::new(),
        };
        let within = |name: &str| of(Allocator::in_process(name), Role::Contender);
        let skips = |more: &str, subject: &Subject| {
            let work = Workload::of(&definition(more), &[], &places()).unwrap();
            work.skips(subject).is_some()
        };
        let (glibc, floor) = (
            of(Allocator::glibc(), Role::Baseline),
            of(Allocator::in_process("null"), Role::Floor),
        );
        let handles = "kernel = ['handles']\nunit = 'ns'\n";
        for (subject, plain, region, kernel, alone) in [
            (&glibc, false, false, false, true),
            (&floor, true, true, false, true),
            (&within("tlsf"), true, false, false, true),
            (&within("zsmalloc"), true, true, false, false),
            (&within("kmalloc"), true, true, true, true),
        ] {
            let found = [
                skips("", subject),
                skips("region = true\n", subject),
                skips(handles, subject),
                skips(&format!("{handles}alone = true\n"), subject),
            ];
            assert_eq!(found, [plain, region, kernel, alone], "{subject:?}");
        }
    }

    #[test]
    fn a_workload_may_be_about_some_of_the_contenders() {
        let of = |name: &str, role| Subject {
            name: name.to_owned(),
            allocator: Allocator::glibc(),
            role,
            environment: Vec::new(),
        };
        let mut work = Workload::own("x".into(), "/x".into(), Vec::new());
        work.left_out = vec!["a".to_owned()];
        let contenders = ["a", "b"].map(|name| work.skips(&of(name, Role::Contender)).is_some());
        assert_eq!(contenders, [true, false]);
        assert!(work.skips(&of("a", Role::Baseline)).is_none(), "all are compared with it");
    }
}
