//! The subcommands, one file each; `check` is `run --check`.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod profile;
pub(crate) mod record;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod stats;
pub(crate) mod top;
pub(crate) mod view;
