//! `shape`: a heap as one line, for golden tests that state the whole heap after each step.
use core::fmt::Write;
use core::ops::ControlFlow;

use base::{Piece, Walk};

/// Every piece of a heap in the order of the walk, `used 64, free 2048`; a gap between two
/// pieces, where one memory ends and another begins, is a bar: `used 64 | free 2048`.
pub fn shape(heap: &impl Walk) -> String {
    shape_by(&mut |visit| heap.walk(visit))
}

pub type Visit<'a> = &'a mut dyn FnMut(Piece) -> ControlFlow<()>;

pub fn shape_by(walk: &mut dyn FnMut(Visit<'_>)) -> String {
    let mut text = String::new();
    let mut end = None;
    walk(&mut |Piece { at, len, used }| {
        text.push_str(match end {
            None => "",
            Some(end) if end == at => ", ",
            Some(_) => " | ",
        });
        let word = if used { "used" } else { "free" };
        write!(text, "{word} {len}").expect("a string takes everything");
        end = Some(at + len);
        ControlFlow::Continue(())
    });
    text
}
