//! Shows a heap as its pieces in address order.

use base::{Stats, Walk};
use core::ops::ControlFlow;

/// Prints `[used]` and `free` pieces in bytes, and what is counted.
#[expect(clippy::disallowed_macros, reason = "an example: the heap shown is not the program's")]
pub(crate) fn show(title: &str, heap: &(impl Walk + Stats)) {
    print!("{title:60}");
    heap.walk(&mut |piece| {
        if piece.used {
            print!(" [{}]", piece.len);
        } else {
            print!(" {}", piece.len);
        }
        ControlFlow::Continue(())
    });
    let stats = heap.stats();
    println!("   used {} of {}, largest free {}", stats.used, stats.total, stats.largest_free);
}
