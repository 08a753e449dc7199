//! Thumb, as objdump prints it: `beq.n`, `cbz`, `bl`, `bx lr`, `pop {r4, pc}`, `tbb [pc, r0]`.

use super::{Flow, Text};

const CONDITIONS: [&str; 16] = [
    "eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le",
];

pub(super) fn flow(text: &Text<'_>) -> Flow {
    let name = text.name.trim_end_matches(".n").trim_end_matches(".w");
    let (stem, conditional) = split(name);
    let operands = text.operands;
    let flow = match stem {
        "b" if conditional => return text.explained().map_or(Flow::Stop, Flow::Branch),
        "b" => text.explained().map_or(Flow::Stop, Flow::Jump),
        "cbz" | "cbnz" => text.explained().map_or(Flow::Stop, Flow::Branch),
        "bl" => text.explained().map_or(Flow::CallIndirect, Flow::Call),
        "blx" => text.explained().map_or(Flow::CallIndirect, Flow::Call),
        "bx" if operands.starts_with("lr") => Flow::Return,
        "bx" | "tbb" | "tbh" => Flow::Table(Vec::new()),
        "pop" | "ldmia" | "ldm" if operands.contains("pc}") => Flow::Return,
        // The frame's return address alone; everything else loaded into pc is a table.
        "ldr" if operands.starts_with("pc, [sp]") => Flow::Return,
        "mov" if operands == "pc, lr" => Flow::Return,
        "ldr" | "mov" | "add" if operands.starts_with("pc,") => Flow::Table(Vec::new()),
        "udf" | "bkpt" => Flow::Stop,
        _ => Flow::Next,
    };
    if conditional && flow == Flow::Return { Flow::ReturnMaybe } else { flow }
}

/// `popeq` is `pop` under a condition, `bls` is `b` under one, `bl` and `teq` are not.
fn split(name: &str) -> (&str, bool) {
    const STEMS: [&str; 9] = ["b", "bl", "blx", "bx", "pop", "ldmia", "ldm", "ldr", "mov"];
    let stem = name.len().checked_sub(2).and_then(|at| name.split_at_checked(at));
    match stem {
        Some((stem, condition)) if STEMS.contains(&stem) && CONDITIONS.contains(&condition) => {
            (stem, true)
        }
        _ => (name, false),
    }
}

/// `it` puts one instruction under its condition, `itete` four.
pub(super) fn conditions(name: &str) -> usize {
    let mut letters = name.chars();
    let is_it = letters.next() == Some('i') && letters.all(|c| c == 't' || c == 'e');
    if is_it && name.len() > 1 { name.len() - 1 } else { 0 }
}
