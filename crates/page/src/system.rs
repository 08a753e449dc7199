//! `System`: all that the layers above the pages need of a system.
use base::lock::Park;
use source::{PageSource, Report};

/// Pages, parking, a console.
pub trait System: PageSource + Park + Report + Sync + 'static {}

/// Has the source find out now whether memory goes back at all, for which it maps a page and unmaps it. Threads that all end at once
/// would wait in the kernel for those that do.
pub fn try_purging<S: PageSource>(source: &S) {
    // SAFETY: no page.
    unsafe { source.purge(0, 0) };
}

impl<S: PageSource + Park + Report + Sync + 'static> System for S {}
