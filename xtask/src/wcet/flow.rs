//! Where an instruction goes next, read from its disassembly: one decoder for each architecture.

mod arm;
mod riscv;
mod x86;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Branch(u64),
    /// This one, in the same function or as a tail call.
    Jump(u64),
    Call(u64),
    /// A function that only a register knows, then the next one.
    CallIndirect,
    /// One of these: a jump table, or what only a register knows while there is none.
    Table(Vec<u64>),
    Return,
    /// The caller or the next one.
    ReturnMaybe,
    /// Nothing: a trap, or a loop of one instruction, as a panic ends.
    Stop,
    /// Itself as often as a register says (x86's string instructions), then the next one.
    Repeat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arch {
    Riscv,
    Thumb,
    X86,
}

impl Arch {
    pub(super) fn objdump(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Arch::Riscv => ("riscv64-unknown-elf-objdump", &["-M", "no-aliases"]),
            Arch::Thumb => ("arm-none-eabi-objdump", &["-M", "force-thumb"]),
            Arch::X86 => ("objdump", &["-M", "intel"]),
        }
    }

    pub(super) fn package(self) -> &'static str {
        match self {
            Arch::Riscv => "binutils-riscv64-unknown-elf",
            Arch::Thumb => "binutils-arm-none-eabi",
            Arch::X86 => "binutils",
        }
    }

    /// What follows the instruction at `address`. `conditional`: whether it stands under an IT.
    pub(super) fn flow(self, address: u64, text: &Text<'_>, conditional: bool) -> Flow {
        let flow = match self {
            Arch::Riscv => riscv::flow(text),
            Arch::Thumb => arm::flow(text),
            Arch::X86 => x86::flow(text),
        };
        match flow {
            Flow::Jump(to) if to == address => Flow::Stop,
            Flow::Return if conditional => Flow::ReturnMaybe,
            Flow::Jump(to) if conditional => Flow::Branch(to),
            other => other,
        }
    }

    /// How many instructions after this one are under its condition.
    pub(super) fn conditions(self, text: &Text<'_>) -> usize {
        match self {
            Arch::Thumb => arm::conditions(text.name),
            Arch::Riscv | Arch::X86 => 0,
        }
    }
}

/// A line of the disassembly: `jal`, `ra,80000d30 <wcet_talc_free>`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) name: &'a str,
    pub(super) operands: &'a str,
}

impl Text<'_> {
    /// The address that objdump explains with a symbol: the last number before a `<`.
    pub(super) fn explained(&self) -> Option<u64> {
        let (before, _) = self.operands.rsplit_once(" <")?;
        let number = before.rsplit([' ', ',', '\t']).next()?;
        u64::from_str_radix(number.trim_start_matches("0x"), 16).ok()
    }
}

#[cfg(test)]
mod tests;
