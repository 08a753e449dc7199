//! A workload as data: one file of `bench/definitions`, whose fields are those of [`Definition`].

use std::collections::BTreeMap;

use registry::{KERNELS, Kernel};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// From published reports on allocators.
    Texts,
    /// What allocators have been compared on for decades.
    Community,
    Ours,
    Real,
    /// The user's own command.
    #[default]
    Own,
    /// A recorded program, done again.
    Trace,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    pub x: String,
    pub y: String,
    #[serde(default)]
    pub x_log: bool,
    #[serde(default)]
    pub y_log: bool,
    /// Where on x the table shows it too, a column each.
    #[serde(default)]
    pub columns: Vec<f64>,
    /// Whether the series that are called the same but for what stands behind `=` are one picture more for each allocator.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub family: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    pub name: String,
    pub group: Group,
    /// Its place in tables, no other's.
    pub order: u32,
    pub about: String,
    #[serde(default)]
    pub source: String,
    /// Of a run at scale 1 on glibc: plans the time, nothing else.
    pub seconds: f64,
    /// Seconds of them that are the same at any scale.
    #[serde(default)]
    pub fixed: f64,
    /// Times as long as a smaller scale says, the whole at most: a run of 30 ms is mostly its start.
    #[serde(default = "unchanged")]
    pub longer: f64,
    /// Threads that compute all the time; 0 when it waits: then the `ns` it prints are its time.
    pub threads: u32,
    /// Its rank in the standard set; the least numbers are kept when time is short.
    pub standard: Option<u32>,
    /// The workload of `heapwright-workloads`, where it is not called as the definition.
    pub workload: Option<String>,
    #[serde(default)]
    pub args: Vec<String>,
    /// A program of the machine instead; {files}, {python3}, {temporary} and {scale:N} are replaced.
    #[serde(default)]
    pub command: Vec<String>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    #[serde(default)]
    pub needs: Vec<String>,
    /// Memory to warm before the first run; later as much as the largest peak.
    #[serde(default)]
    pub warm_mib: u32,
    /// It counts its calls: ns a call are shown, and the null allocator beside the others.
    pub unit: Option<Unit>,
    /// Its calls can be timed one by one.
    #[serde(default)]
    pub tail: bool,
    /// It runs on region allocators too: it needs malloc, free and realloc only.
    #[serde(default)]
    pub region: bool,
    /// It is compiled for the kernel's allocators of these kinds, which take part unless -a says who: the registry's words.
    #[serde(default)]
    pub kernel: Vec<String>,
    /// It says nothing of other allocators, nor of time: its points are sequences to be read.
    #[serde(default)]
    pub alone: bool,
    /// The `ns` it prints are its time: what it does around them differs between allocators.
    #[serde(default)]
    pub by_part: bool,
    /// Why what it does differs from run to run, so that it is not counted.
    pub uncounted: Option<String>,
    pub curve: Option<Curve>,
    /// What those of one series, or of all that are called so before a `=`, mean that are something else.
    #[serde(default)]
    pub curves: BTreeMap<String, Curve>,
    /// Seconds that the text has which it is from, by allocator.
    #[serde(default)]
    pub text: BTreeMap<String, f64>,
}

/// How the measured part of a workload is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Nanoseconds a call of malloc or free.
    Ns,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not TOML, or a field is missing, unknown or of the wrong type.
    #[error("{0}: {1}")]
    Toml(String, #[source] Box<toml::de::Error>),
    #[error("{0}: {1}")]
    Fault(String, &'static str),
}

impl Group {
    /// Whether its workloads are programs of ours, which take an allocator by name and print how long their measured part took.
    pub fn is_in_process(self) -> bool {
        !matches!(self, Self::Real | Self::Own)
    }
}

const fn unchanged() -> f64 {
    1.0
}

impl Definition {
    /// The scale that its runs get where `scale` is asked for.
    pub fn scale_at(&self, scale: f64) -> f64 {
        (scale * self.longer).min(scale.max(1.0))
    }

    /// Seconds of a run on glibc where this scale is asked for.
    pub fn seconds_at(&self, scale: f64) -> f64 {
        self.fixed + (self.seconds - self.fixed) * self.scale_at(scale)
    }

    pub fn parse(file: &str, text: &str) -> Result<Self, Error> {
        let definition: Self =
            toml::from_str(text).map_err(|e| Error::Toml(file.to_owned(), Box::new(e)))?;
        match definition.fault(file) {
            None => Ok(definition),
            Some(fault) => Err(Error::Fault(file.to_owned(), fault)),
        }
    }

    fn fault(&self, file: &str) -> Option<&'static str> {
        let is_ours = self.command.is_empty();
        match self {
            d if file.strip_suffix(".toml") != Some(&d.name) => Some("its name is not the file's"),
            d if matches!(d.group, Group::Own | Group::Trace) => Some(
                "groups own and trace are the user's command and recording, which have no file",
            ),
            d if d.seconds <= 0.0 => Some("seconds must be more than 0"),
            d if !(0.0..=d.seconds).contains(&d.fixed) => Some("fixed is a part of seconds"),
            d if d.longer < 1.0 => Some("longer is 1 or more"),
            d if !is_ours && (d.workload.is_some() || !d.args.is_empty()) => {
                Some("it has both a command and a workload or its args")
            }
            d if is_ours && !d.env.is_empty() => Some("env is for a command"),
            d if !is_ours && (d.tail || d.region || !d.kernel.is_empty() || d.unit.is_some()) => {
                Some("tail, region, kernel and unit are for a workload of ours")
            }
            d if d.kernel.iter().any(|word| KERNELS.iter().all(|row| row.kind.word() != word)) => {
                Some("kernel has a word that the registry does not have")
            }
            d if d.about.trim().is_empty() => Some("about is empty"),
            d if d.group.is_in_process() != is_ours => {
                Some("a command is for group real, and group real for a command")
            }
            _ => None,
        }
    }

    /// The allocators of the kernel's that it is compiled for.
    pub fn kernels(&self) -> impl Iterator<Item = &'static str> + use<'_> {
        let takes = |row: &&Kernel| self.kernel.iter().any(|word| word == row.kind.word());
        KERNELS.iter().filter(takes).map(|row| row.name)
    }

    /// Why two runs of it do not do the same, if that is so.
    pub fn uncountable(&self) -> Option<String> {
        match self.threads {
            1 => self.uncounted.clone(),
            0 => Some("it waits, and for how long differs".to_owned()),
            n => Some(format!("which of its {n} threads is first differs")),
        }
    }
}

/// Reads all of `files`, name and text; in the order of tables.
pub fn parse_all<'a>(
    files: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<Definition>, Error> {
    let mut all = files
        .into_iter()
        .map(|(file, text)| Definition::parse(file, text))
        .collect::<Result<Vec<_>, _>>()?;
    all.sort_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str =
        "name = 'x'\ngroup = 'ours'\norder = 1\nabout = 'a'\nseconds = 1.0\nthreads = 1\n";

    fn said(more: &str) -> String {
        let least =
            if more.starts_with("command") { &LEAST.replace("ours", "real") } else { LEAST };
        match Definition::parse("x.toml", &format!("{least}{more}")) {
            Ok(_) => String::new(),
            Err(Error::Fault(_, fault)) => fault.to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_goes_together() {
        assert_eq!(said(""), "");
        assert_eq!(said("unit = 'ns'\ntail = true\nregion = true\nargs = ['threads=2']\n"), "");
        assert_eq!(said("command = ['ls']\nenv = { A = 'b' }\n"), "");
        assert_eq!(
            said("kernel = ['handles', 'pages']\nalone = true\n[curves.a]\nx = 'x'\ny = 'y'\n"),
            ""
        );
        assert!(said("kernel = ['stones']\n").contains("registry"));
        assert!(said("command = ['ls']\nkernel = ['pages']\n").contains("kernel"));
        assert!(said("command = ['ls']\nargs = ['a']\n").contains("both"));
        assert!(said("command = ['ls']\ntail = true\n").contains("tail"));
        assert!(said("env = { A = 'b' }\n").contains("env"));
        assert!(said("colour = 'red'\n").contains("colour"));
        assert!(Definition::parse("y.toml", LEAST).is_err());
        for (text, word) in [
            (LEAST.replace("ours", "own"), "own"),
            (LEAST.replace("ours", "real"), "group real"),
            (format!("{LEAST}command = ['ls']\n"), "group real"),
        ] {
            let error = Definition::parse("x.toml", &text).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn the_order_is_that_of_tables() {
        let later = LEAST.replace("'x'", "'b'").replace("order = 1", "order = 2");
        let earlier = LEAST.replace("'x'", "'a'");
        let all = parse_all([("b.toml", later.as_str()), ("a.toml", earlier.as_str())]).unwrap();
        assert_eq!(all.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn all_of_the_repositorys_are_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench/definitions");
        let texts: Vec<(String, String)> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                (name, std::fs::read_to_string(path).unwrap())
            })
            .collect();
        let all = parse_all(texts.iter().map(|(n, t)| (n.as_str(), t.as_str()))).unwrap();
        assert!(!all.is_empty());
        let mut orders: Vec<u32> = all.iter().map(|d| d.order).collect();
        orders.dedup();
        assert_eq!(orders.len(), all.len(), "two have one place");
    }
}
