//! What is set, where it is, and how it is put back.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::result::Prepared;

/// One thing to set; it may be in several files.
struct Knob {
    what: &'static str,
    /// Where it would be, for a machine that does not have it.
    place: &'static str,
    files: Vec<PathBuf>,
    wanted: &'static str,
    /// Values that are as good as `wanted`.
    fine: &'static [&'static str],
    /// How values are called where the file's own words say little.
    names: &'static [(&'static str, &'static str)],
}

pub(super) struct Undo {
    file: PathBuf,
    before: String,
}

/// In the order in which they are set. Hardware threads come after what each processor has a file for: switched off,
/// they have none, and when restoring they must be back first.
fn knobs(root: &Path) -> [Knob; 4] {
    let cpu = root.join("sys/devices/system/cpu");
    let there = |file: PathBuf| file.exists().then_some(file);
    let intel = there(cpu.join("intel_pstate/no_turbo"));
    let turbo = if intel.is_some() {
        ("1", intel, [("0", "on"), ("1", "off")].as_slice())
    } else {
        ("0", there(cpu.join("cpufreq/boost")), [("0", "off"), ("1", "on")].as_slice())
    };
    [
        Knob {
            what: "CPU governor",
            place: "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
            files: governors(&cpu.join("cpufreq")),
            wanted: "performance",
            fine: &[],
            names: &[],
        },
        Knob {
            what: "turbo",
            place: "/sys/devices/system/cpu/intel_pstate/no_turbo, …/cpufreq/boost",
            files: turbo.1.into_iter().collect(),
            wanted: turbo.0,
            fine: &[],
            names: turbo.2,
        },
        Knob {
            what: "SMT",
            place: "/sys/devices/system/cpu/smt/control",
            files: there(cpu.join("smt/control")).into_iter().collect(),
            wanted: "off",
            fine: &["forceoff", "notsupported", "notimplemented"],
            names: &[("notsupported", "not supported"), ("notimplemented", "not implemented")],
        },
        Knob {
            what: "ASLR",
            place: "/proc/sys/kernel/randomize_va_space",
            files: there(root.join("proc/sys/kernel/randomize_va_space")).into_iter().collect(),
            wanted: "0",
            fine: &[],
            names: &[("0", "off"), ("1", "stack and libraries"), ("2", "on")],
        },
    ]
}

fn governors(folder: &Path) -> Vec<PathBuf> {
    let policies = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = policies
        .map(|entry| entry.path().join("scaling_governor"))
        .filter(|file| file.exists())
        .collect();
    files.sort();
    files
}

/// What there is below `root`, in words and in the order of [`knobs`].
pub(crate) fn now(root: &Path) -> [Option<String>; 4] {
    knobs(root).map(|knob| {
        let read = |file| fs::read_to_string(file).ok().map(|value| value.trim().to_owned());
        knob.words(knob.files.iter().filter_map(read).collect())
    })
}

/// Sets what can be set below `root`; what came of it, and what [`restore`] needs.
pub(super) fn apply(root: &Path) -> (Vec<Prepared>, Vec<Undo>) {
    let mut undo = Vec::new();
    let settings = knobs(root).iter().map(|knob| knob.set(&mut undo)).collect();
    (settings, undo)
}

/// Writes back what was there, the last change first; says what did not work.
pub(super) fn restore(undo: Vec<Undo>) -> Vec<String> {
    let one = |Undo { file, before }: Undo| {
        let problem = write(&file, &before).err()?;
        Some(format!("{} to {}: {problem}", file.display(), before.trim()))
    };
    undo.into_iter().rev().filter_map(one).collect()
}

impl Knob {
    fn set(&self, undo: &mut Vec<Undo>) -> Prepared {
        let (mut before, mut after, mut problem) = (Vec::new(), Vec::new(), None);
        for file in &self.files {
            match self.set_file(file, undo, &mut before) {
                Ok(value) => after.push(value),
                Err(error) => problem = Some(format!("{}: {error}", file.display())),
            }
        }
        if self.files.is_empty() {
            problem = Some(format!("this machine has no {}", self.place));
        }
        Prepared {
            what: self.what.to_owned(),
            before: self.words(before),
            after: if problem.is_none() { self.words(after) } else { None },
            problem,
        }
    }

    /// The value afterwards.
    fn set_file(
        &self,
        file: &Path,
        undo: &mut Vec<Undo>,
        before: &mut Vec<String>,
    ) -> io::Result<String> {
        let old = fs::read_to_string(file)?;
        let value = old.trim().to_owned();
        before.push(value.clone());
        if value == self.wanted || self.fine.contains(&value.as_str()) {
            return Ok(value);
        }
        // First of all, for the case that the kernel takes it and complains nevertheless.
        undo.push(Undo { file: file.to_owned(), before: old });
        if let Err(error) = write(file, self.wanted) {
            if fs::read_to_string(file).is_ok_and(|now| now.trim() == value) {
                undo.pop();
            }
            return Err(error);
        }
        let now = fs::read_to_string(file)?.trim().to_owned();
        if now == self.wanted { Ok(now) } else { Err(io::Error::other(format!("is still {now}"))) }
    }

    /// The different ones of `values`, in words.
    fn words(&self, mut values: Vec<String>) -> Option<String> {
        values.sort();
        values.dedup();
        let word = |value: &String| {
            let named = self.names.iter().find(|(raw, _)| raw == value);
            named.map_or_else(|| value.clone(), |(_, name)| (*name).to_owned())
        };
        let words: Vec<String> = values.iter().map(word).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }
}

/// In one call, as the files of the kernel want it; a file that is not there is not made.
fn write(file: &Path, value: &str) -> io::Result<()> {
    File::options().write(true).truncate(true).open(file)?.write_all(value.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(root: &Path, path: &str, value: &str) -> PathBuf {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, value).unwrap();
        file
    }

    fn outcome(
        settings: &[Prepared],
        what: &str,
    ) -> (Option<String>, Option<String>, Option<String>) {
        let one = settings.iter().find(|s| s.what == what).unwrap().clone();
        (one.before, one.after, one.problem)
    }

    #[test]
    fn a_machine_that_has_none_of_it_is_reported_and_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let (settings, undo) = apply(root.path());
        assert_eq!((settings.len(), undo.len()), (4, 0));
        for setting in settings {
            assert!(setting.problem.unwrap().starts_with("this machine has no /"));
            assert_eq!((setting.before, setting.after), (None, None));
        }
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_right_already_is_not_touched() {
        let root = tempfile::tempdir().unwrap();
        file(root.path(), "sys/devices/system/cpu/smt/control", "notsupported\n");
        file(root.path(), "sys/devices/system/cpu/cpufreq/boost", "0\n");
        let (settings, undo) = apply(root.path());
        assert!(undo.is_empty());
        let same = |value: &str| (Some(value.to_owned()), Some(value.to_owned()), None);
        assert_eq!(outcome(&settings, "SMT"), same("not supported"));
        assert_eq!(outcome(&settings, "turbo"), same("off"));
    }

    #[test]
    fn values_are_set_and_restored_as_they_were() {
        let root = tempfile::tempdir().unwrap();
        let cpu = "sys/devices/system/cpu";
        let governor = |n: u32| format!("{cpu}/cpufreq/policy{n}/scaling_governor");
        let files = [
            (file(root.path(), &governor(0), "schedutil\n"), "schedutil\n", "performance"),
            (file(root.path(), &governor(1), "powersave\n"), "powersave\n", "performance"),
            (file(root.path(), &governor(2), "performance\n"), "performance\n", "performance\n"),
            (file(root.path(), &format!("{cpu}/intel_pstate/no_turbo"), "0\n"), "0\n", "1"),
            (file(root.path(), &format!("{cpu}/smt/control"), "on\n"), "on\n", "off"),
        ];
        let word = |word: &str| Some(word.to_owned());
        let there = [word("performance, powersave, schedutil"), word("on"), word("on"), None];
        assert_eq!(now(root.path()), there);
        let (settings, undo) = apply(root.path());
        for (file, _, set) in &files {
            assert_eq!(fs::read_to_string(file).unwrap(), *set, "{file:?}");
        }
        let (before, after, problem) = outcome(&settings, "CPU governor");
        assert_eq!(before.as_deref(), Some("performance, powersave, schedutil"));
        assert_eq!((after.as_deref(), problem), (Some("performance"), None));
        assert_eq!(outcome(&settings, "turbo").1.as_deref(), Some("off"));
        let order: Vec<_> = undo.iter().map(|u| u.file.clone()).collect();
        assert_eq!(order, [0, 1, 3, 4].map(|i| files[i].0.clone()));
        assert!(restore(undo).is_empty());
        for (file, before, _) in &files {
            assert_eq!(fs::read_to_string(file).unwrap(), *before, "{file:?}");
        }
    }

    #[test]
    fn what_cannot_be_set_says_why() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc/sys/kernel/randomize_va_space")).unwrap();
        let (settings, undo) = apply(root.path());
        let (before, after, problem) = outcome(&settings, "ASLR");
        assert_eq!((before, after, undo.len()), (None, None, 0));
        assert!(problem.unwrap().contains("randomize_va_space: Is a directory"));
        let lost = Undo { file: root.path().join("gone"), before: "1\n".to_owned() };
        assert!(restore(vec![lost])[0].contains("gone to 1: No such file"));
    }
}
