//! `--set`: the drop-in's settings.

use bench::closest::closest;
use clap::Args;
use launch::allocator::{Allocator, HEAPWRIGHT};
use launch::environment::{KEYS, Setting};

#[derive(Debug, Args)]
pub(crate) struct SettingsFlags {
    /// A setting of heapwright's library, such as keep=64m
    ///
    /// A key alone, such as safe, means safe=1. May be repeated, and be a list with commas. It is added to the variable
    /// HEAPWRIGHT; an unknown key is answered with the list of keys
    #[arg(long = "set", value_name = "KEY[=VALUE]", value_delimiter = ',')]
    pub(crate) settings: Vec<Setting>,
}

const CLASSIC: [&str; 3] = ["stats", "check", "deepbind"];

/// The settings that `allocator` has, if it is ours: a design's own beside those that all have. One of the kernel's has its row's.
pub(crate) fn keys(allocator: &Allocator) -> Option<Vec<&'static str>> {
    if let Some(name) = &allocator.in_process {
        let row = registry::KERNELS.iter().find(|row| row.name == name);
        return row.map(|row| row.settings.to_vec()).filter(|settings| !settings.is_empty());
    }
    let file = allocator.library()?.file_name().unwrap_or_default().to_string_lossy();
    let base = allocator.base.strip_prefix("heapwright-").unwrap_or(&allocator.base);
    if let Some(row) = registry::MALLOCS.iter().find(|row| row.name == base) {
        return Some(CLASSIC.into_iter().chain(row.settings.iter().copied()).collect());
    }
    let is_flagship = base == HEAPWRIGHT || file.contains(HEAPWRIGHT);
    is_flagship.then(|| KEYS.split(", ").collect())
}

/// Says that `allocator`, which is ours, has no setting of this key: the nearest ones, and all.
pub(crate) fn unknown(allocator: &Allocator, key: &str) -> String {
    let keys = keys(allocator).unwrap_or_default();
    let near = closest(key, keys.iter().copied()).join(" or ");
    let hint = if near.is_empty() { near } else { format!("did you mean {near}? ") };
    format!("{} has no setting {key}; {hint}there are {}", allocator.base, keys.join(", "))
}

impl SettingsFlags {
    pub(crate) fn of(&self, allocator: &Allocator) -> Vec<Setting> {
        self.settings.iter().filter(|s| knows(allocator, s)).cloned().collect()
    }
}

/// Whether `allocator` has this setting. Of a library of somebody else's nothing is known, so it may have it.
pub(crate) fn knows(allocator: &Allocator, setting: &Setting) -> bool {
    let has = |keys: Vec<&str>| keys.contains(&setting.key.as_str());
    allocator.library().is_some() && keys(allocator).is_none_or(has)
}
