//! `--set` and `--stats`: the drop-in's settings.

use bench::environment::Setting;
use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct SettingsFlags {
    /// A setting of heapwright's library, such as keep=64m or safe=1; may be repeated. It is added to the variable
    /// HEAPWRIGHT; an unknown key is answered with the list of keys
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<Setting>,
}
