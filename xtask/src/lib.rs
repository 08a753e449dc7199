//! What chores share, for those of this package and those of `xtask/figures`.
#![allow(
    missing_docs,
    reason = "only this workspace uses it: a name that says it all needs no sentence"
)]

pub mod command;
pub mod figures;
pub mod files;
pub mod measured;
pub mod peers;
pub mod programs;

/// The options of one chore as its command line has them, for its tests.
pub fn parsed<T: clap::Args>(line: &str) -> Result<T, clap::Error> {
    let command = T::augment_args(clap::Command::new("test").no_binary_name(true));
    T::from_arg_matches(&command.try_get_matches_from(line.split_whitespace())?)
}

/// Words that the chore reads by itself.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Words {
    /// As they were typed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub words: Vec<String>,
}

impl Words {
    /// The words as the options of this chore; a bad one ends the program here.
    pub fn options<T: clap::Args>(&self, chore: &'static str) -> T {
        let command = clap::Command::new(chore).bin_name(format!("cargo xtask {chore}"));
        let command = T::augment_args(command.no_binary_name(true));
        let options = T::from_arg_matches(&command.get_matches_from(&self.words));
        options.unwrap_or_else(|error| error.exit())
    }
}
