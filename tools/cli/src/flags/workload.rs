//! Workloads as written on the command line: `NAME`, `NAME:KEY=VALUE`, or a set of them.

use core::convert::Infallible;
use core::str::FromStr;
use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};

use crate::commands::bench::workloads;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkloadArg {
    /// Of a workload or a set.
    pub(crate) name: String,
    /// `KEY=VALUE`, each.
    pub(crate) parameters: Vec<String>,
}

impl FromStr for WorkloadArg {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let mut words = text.split(':').map(str::to_owned);
        let name = words.next().unwrap_or_default();
        Ok(Self { name, parameters: words.collect() })
    }
}

/// Reads any such word. The names are what a shell completes.
#[derive(Clone)]
pub(crate) struct Words;

impl TypedValueParser for Words {
    type Value = WorkloadArg;

    fn parse_ref(
        &self,
        _: &Command,
        _: Option<&Arg>,
        word: &OsStr,
    ) -> Result<WorkloadArg, clap::Error> {
        let Ok(word) = word.to_string_lossy().parse();
        Ok(word)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(workloads::names().map(PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_parameters() {
        let of = |text: &str| text.parse::<WorkloadArg>().unwrap();
        assert_eq!(of("larson"), WorkloadArg { name: "larson".into(), parameters: vec![] });
        assert_eq!(of("larson:threads=8:seed=3").parameters, ["threads=8", "seed=3"]);
    }
}
