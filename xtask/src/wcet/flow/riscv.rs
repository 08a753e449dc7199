//! RISC-V, as `objdump -M no-aliases` prints it: `c.bnez`, `jal zero,…`, `jalr zero,0(ra)`.

use super::{Flow, Text};

pub(super) fn flow(text: &Text<'_>) -> Flow {
    let first = text.operands.split(',').next().unwrap_or_default();
    match text.name {
        "beq" | "bne" | "blt" | "bge" | "bltu" | "bgeu" | "c.beqz" | "c.bnez" => {
            text.explained().map_or(Flow::Stop, Flow::Branch)
        }
        "c.j" => text.explained().map_or(Flow::Stop, Flow::Jump),
        "c.jal" => text.explained().map_or(Flow::CallIndirect, Flow::Call),
        "jal" => match text.explained() {
            Some(to) if first == "zero" => Flow::Jump(to),
            Some(to) => Flow::Call(to),
            None => Flow::CallIndirect,
        },
        // A far call is a pair, and objdump explains where its second half goes.
        "jalr" => match (first == "zero", text.explained()) {
            (true, Some(to)) => Flow::Jump(to),
            (false, Some(to)) => Flow::Call(to),
            (true, None) if link(text.operands.split(',').nth(1).unwrap_or_default()) => {
                Flow::Return
            }
            (true, None) => Flow::Table(Vec::new()),
            (false, None) => Flow::CallIndirect,
        },
        "c.jr" if link(first) => Flow::Return,
        "c.jr" => Flow::Table(Vec::new()),
        "c.jalr" => Flow::CallIndirect,
        "unimp" | "c.unimp" | "ebreak" | "c.ebreak" | "mret" | "sret" => Flow::Stop,
        _ => Flow::Next,
    }
}

/// Whether a jump to this register returns: ra, or t0 for the routines that save registers. Compilers use t0 for
/// nothing else, as processors take it for a return too.
fn link(operand: &str) -> bool {
    matches!(operand.trim(), "ra" | "t0" | "0(ra)" | "0(t0)")
}
