//! Groups of flags that belong together, each in its own file.

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
