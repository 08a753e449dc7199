//! Groups of flags that belong together, each in its own file.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};

pub(crate) mod allocator;
pub(crate) mod color;
pub(crate) mod form;
pub(crate) mod measure;
pub(crate) mod output;
pub(crate) mod program;
pub(crate) mod rounds;
pub(crate) mod serve;
pub(crate) mod settings;
pub(crate) mod stats;
pub(crate) mod subject;
pub(crate) mod workload;

/// Reads a word; the names that are known without looking are what a shell completes.
#[derive(Clone)]
pub(crate) struct Completed<T> {
    pub(crate) read: fn(&str) -> Result<T, String>,
    pub(crate) names: fn() -> Vec<&'static str>,
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Completed<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        flag: Option<&Arg>,
        word: &OsStr,
    ) -> Result<T, clap::Error> {
        let read = self.read;
        let read = move |text: String| read(&text);
        StringValueParser::new().try_map(read).parse_ref(command, flag, word)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.names)().into_iter().map(PossibleValue::new)))
    }
}
