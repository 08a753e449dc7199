//! Shows an allocator's memory as its pieces in address order.

use base::{Stats, Walk};
use core::ops::ControlFlow;

/// Prints `[used]` and `free` pieces in pages, and what is counted.
#[expect(clippy::disallowed_macros, reason = "an example: what is shown is not the program's")]
pub(crate) fn show(title: &str, page: usize, pages: &(impl Walk + Stats)) {
    print!("{title:40}");
    pages.walk(&mut |piece| {
        let count = piece.len / page;
        if piece.used {
            print!(" [{count}]");
        } else {
            print!(" {count}");
        }
        ControlFlow::Continue(())
    });
    let stats = pages.stats();
    println!(
        "   used {} of {}, longest free {}",
        stats.used / page,
        stats.total / page,
        stats.largest_free / page
    );
}
