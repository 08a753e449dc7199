//! Collapsed stacks: a line for each, its functions from the outermost on, and what it costs. What flame graph tools read.

use core::fmt::Write as _;

use crate::cost::Cost;
use crate::tree::Tree;

pub fn collapsed(tree: &Tree, cost: Cost) -> String {
    let mut text = String::new();
    for (at, node) in tree.nodes.iter().enumerate().skip(1) {
        let bytes = node.own.of(cost).bytes.round();
        if bytes < 1.0 {
            continue;
        }
        let path = tree.path(at);
        let names: Vec<String> = path.iter().map(|&at| word(&tree.label(at).name)).collect();
        // A string takes all that is written to it.
        let _ = writeln!(text, "{} {bytes}", names.join(";"));
    }
    text
}

/// A name without what separates one function from the next, or a line from the next.
fn word(name: &str) -> String {
    name.chars().map(|c| if c == ';' || c.is_control() { ':' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::profile;

    #[test]
    fn a_line_for_each_stack_that_costs_something() {
        let text = collapsed(&Tree::of(&profile()), Cost::Live);
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["?+0x5000 2000", "?+0x5000;?+0x6000 500"]);
        assert_eq!(word("operator;\n"), "operator::");
    }
}
