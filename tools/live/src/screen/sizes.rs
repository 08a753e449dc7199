//! The sizes of small blocks: what is live, kept by threads, and free between live ones.

use show::number::count;
use view::{Ink, Line, of_size};

use super::{Order, State, amount};
use crate::heap::{Heap, SizeClass};

impl State {
    pub(super) fn sizes(&mut self, heap: &Heap, high: usize) -> Vec<Line> {
        let mut sizes = heap.sizes.clone();
        match self.order {
            Order::Free => sizes.sort_by_key(|size| core::cmp::Reverse(size.free())),
            Order::Live => sizes.sort_by_key(|size| core::cmp::Reverse(size.bytes * size.objects)),
            Order::Size => {}
        }
        let word = match self.order {
            Order::Free => "most free first",
            Order::Live => "most live first",
            Order::Size => "by size",
        };
        let title = format!(
            "{:>9} {:>9} {:>9} {:>10} {:>9} {:>6}   {word}",
            "size", "live", "kept", "free", "slabs", "full"
        );
        let mut lines = vec![Line::of(&title, Ink::Mute)];
        let rows = high.saturating_sub(1);
        self.top = self.top.min(sizes.len().saturating_sub(rows));
        lines.extend(sizes.iter().skip(self.top).take(rows).map(|size| row(size, self.inked)));
        lines
    }
}

fn row(size: &SizeClass, inked: bool) -> Line {
    let class = of_size(size.bytes);
    let mut line = Line::of(&format!("{:>9} ", count(size.bytes as f64)), Ink::Plain);
    let full = size.objects * 100 / size.room.max(1);
    line.put(
        &format!(
            "{:>9} {:>9} {:>10} {:>9} {full:>4} %   ",
            amount(size.bytes * size.objects),
            amount(size.bytes * size.kept),
            amount(size.free()),
            count(size.slabs as f64)
        ),
        Ink::Plain,
    );
    let bar = (full as usize * 20).div_ceil(100).min(20);
    line.put(&if inked { "█" } else { "#" }.repeat(bar), Ink::Class(class));
    line.put(&"·".repeat(20 - bar), Ink::Mute);
    line
}
