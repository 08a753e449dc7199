//! `--set`: the drop-in's settings.

use clap::Args;
use launch::allocator::{Allocator, HEAPWRIGHT};
use launch::environment::Setting;

use crate::embedded;

#[derive(Debug, Args)]
pub(crate) struct SettingsFlags {
    /// A setting of heapwright's library, such as keep=64m
    ///
    /// A key alone, such as safe, means safe=1. May be repeated, and be a list with commas. It is added to the variable
    /// HEAPWRIGHT; an unknown key is answered with the list of keys
    #[arg(long = "set", value_name = "KEY[=VALUE]", value_delimiter = ',')]
    pub(crate) settings: Vec<Setting>,
}

/// The settings that all classic designs have.
const CLASSIC: [&str; 3] = ["stats", "check", "deepbind"];

/// The settings of the classic design of this name: what all have, and its own.
pub(crate) fn of_classic(name: &str) -> Vec<&'static str> {
    let row = registry::MALLOCS.iter().find(|row| row.name == name);
    let own = row.map_or(&[] as &[&str], |row| row.settings);
    CLASSIC.into_iter().chain(own.iter().copied()).collect()
}

impl SettingsFlags {
    /// Those that `allocator` has.
    pub(crate) fn of(&self, allocator: &Allocator) -> Vec<Setting> {
        self.settings.iter().filter(|s| knows(allocator, s)).cloned().collect()
    }
}

/// Whether `allocator` has this setting. Of a library of somebody else's nothing is known, so it may have it.
pub(crate) fn knows(allocator: &Allocator, setting: &Setting) -> bool {
    let classic = embedded::find(&allocator.name).filter(|library| library.name != HEAPWRIGHT);
    let has = |name| of_classic(name).contains(&setting.key.as_str());
    allocator.library().is_some() && classic.is_none_or(|library| has(library.name))
}
