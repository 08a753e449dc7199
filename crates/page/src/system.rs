//! `System`: all that the layers above the pages need of a system.
use base::lock::Park;
use source::{PageSource, Report};

/// Pages, parking, a console.
pub trait System: PageSource + Park + Report + Sync + 'static {}

impl<S: PageSource + Park + Report + Sync + 'static> System for S {}
