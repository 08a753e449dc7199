//! x86-64, as `objdump -M intel` prints it: `je`, `jmp`, `call`, `ret`, `rep stos`.

use super::{Flow, Text};

pub(super) fn flow(text: &Text<'_>) -> Flow {
    let prefixed =
        ["rep", "repz", "repnz", "repe", "repne", "lock", "bnd", "notrack", "cs", "data16"];
    let (mut name, mut rest) = (text.name, text.operands);
    let mut repeats = false;
    while prefixed.contains(&name) {
        repeats |= name.starts_with("rep");
        (name, rest) = rest.trim_start().split_once(' ').unwrap_or((rest.trim(), ""));
    }
    // Only a target in the instruction itself is one: what objdump explains after a # is a memory operand.
    let direct = Text { name, operands: rest.split('#').next().unwrap_or_default() };
    let indirect = rest.contains('[') || direct.explained().is_none();
    match name {
        "jmp" if indirect => Flow::Table(Vec::new()),
        "jmp" => direct.explained().map_or(Flow::Stop, Flow::Jump),
        "call" if indirect => Flow::CallIndirect,
        "call" => direct.explained().map_or(Flow::CallIndirect, Flow::Call),
        "ret" => Flow::Return,
        "ud2" | "int3" | "hlt" => Flow::Stop,
        _ if name.starts_with('j') || name.starts_with("loop") => {
            direct.explained().map_or(Flow::Stop, Flow::Branch)
        }
        _ if repeats => Flow::Repeat,
        _ => Flow::Next,
    }
}
