//! A program's instructions: its disassembly, decoded, with jump tables read out of its data.

use super::flow::{Arch, Flow, Text};
use crate::peers::output;
use object::{Architecture, Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

#[derive(Debug, Clone)]
pub(super) struct Instruction {
    pub(super) text: String,
    pub(super) flow: Flow,
    /// The one after it; none at the end of the code or before data.
    pub(super) next: Option<u64>,
    /// An address that it puts into a register or reads, as the disassembler explains it.
    explained: Option<u64>,
}

pub(super) struct Program {
    pub(super) code: BTreeMap<u64, Instruction>,
    pub(super) functions: BTreeMap<String, u64>,
    /// The same, by address, each with its end.
    ranges: BTreeMap<u64, (String, u64)>,
    sections: Vec<(u64, Vec<u8>)>,
    arch: Arch,
    pointer: usize,
}

impl Program {
    /// Reads and disassembles an ELF file.
    /// Errors: it is no ELF file, of another architecture, or the disassembler is missing.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let named = |why: String| format!("{}: {why}", path.display());
        let bytes = fs::read(path).map_err(|e| named(e.to_string()))?;
        let file = object::File::parse(bytes.as_slice()).map_err(|e| named(e.to_string()))?;
        let arch = match file.architecture() {
            Architecture::Riscv32 | Architecture::Riscv64 => Arch::Riscv,
            Architecture::Arm => Arch::Thumb,
            Architecture::X86_64 => Arch::X86,
            other => return Err(named(format!("{other:?} is not one of the architectures here"))),
        };
        let mut program = Program {
            code: BTreeMap::new(),
            functions: BTreeMap::new(),
            ranges: BTreeMap::new(),
            sections: Vec::new(),
            arch,
            pointer: if file.is_64() { 8 } else { 4 },
        };
        for section in file.sections().filter(|s| s.address() != 0) {
            if let Ok(data) = section.data() {
                program.sections.push((section.address(), data.to_vec()));
            }
        }
        for symbol in file.symbols().filter(|s| s.kind() == SymbolKind::Text) {
            // Bit 0 of a Thumb function's address says that it is one.
            let at = if arch == Arch::Thumb { symbol.address() & !1 } else { symbol.address() };
            let name = symbol.name().unwrap_or_default();
            if !name.is_empty() && !name.starts_with('$') && !name.starts_with(".L") {
                program.functions.insert(name.to_owned(), at);
                program.ranges.insert(at, (name.to_owned(), at + symbol.size()));
            }
        }
        let (objdump, flags) = arch.objdump();
        let mut objdump = Command::new(objdump);
        objdump.args(["-d", "--no-show-raw-insn", "-w"]).args(flags).arg(path);
        let listing = output(&mut objdump)
            .map_err(|why| format!("{why} (the package {} has it)", arch.package()))?;
        program.decode(&listing);
        program.resolve();
        Ok(program)
    }

    /// A program out of a listing alone, whose functions are its headers, and the data that goes with it.
    #[cfg(test)]
    pub(super) fn listed(arch: Arch, listing: &str, data: &[(u64, &[u8])]) -> Self {
        let mut program = Program {
            code: BTreeMap::new(),
            functions: BTreeMap::new(),
            ranges: BTreeMap::new(),
            sections: data.iter().map(|(at, bytes)| (*at, bytes.to_vec())).collect(),
            arch,
            pointer: if arch == Arch::Thumb { 4 } else { 8 },
        };
        for header in listing.lines().filter_map(|line| line.strip_suffix(">:")) {
            if let Some((at, name)) = header.split_once(" <") {
                let at = u64::from_str_radix(at, 16).unwrap_or_default();
                program.functions.insert(name.to_owned(), at);
                program.ranges.insert(at, (name.to_owned(), at + 0x100));
            }
        }
        program.decode(listing);
        program.resolve();
        program
    }

    /// The function that `address` lies in: `wcet_tlsf_free`.
    pub(super) fn function_at(&self, address: u64) -> &str {
        let before = self.ranges.range(..=address).next_back();
        before.map_or("?", |(_, (name, _))| name.as_str())
    }

    /// Every line of the listing that is an instruction.
    fn decode(&mut self, listing: &str) {
        let mut under_condition = 0_usize;
        let mut last: Option<u64> = None;
        for line in listing.lines() {
            let Some((address, text)) = instruction(line) else {
                // A header between functions does not break the row, an omitted stretch does.
                if line.trim() == "..." {
                    last = None;
                }
                continue;
            };
            if text.name.starts_with('.') {
                last = None; // data among the code: `.word`
                continue;
            }
            let flow = self.arch.flow(address, &text, under_condition > 0);
            under_condition = match self.arch.conditions(&text) {
                0 => under_condition.saturating_sub(1),
                more => more,
            };
            if let Some(before) = last.and_then(|last| self.code.get_mut(&last)) {
                before.next = Some(address);
            }
            last = Some(address);
            let explained = text.explained();
            let text = format!("{} {}", text.name, text.operands);
            self.code.insert(address, Instruction { text, flow, next: None, explained });
        }
    }

    /// Fills in where each jump through a table goes. A target too many only lengthens a path, one too few would
    /// shorten it: entries are taken for as long as they lie in the same function.
    fn resolve(&mut self) {
        let tables = self.code.iter().filter(|(_, i)| matches!(i.flow, Flow::Table(_)));
        let found: Vec<(u64, Vec<u64>)> =
            tables.map(|(&at, one)| (at, self.targets(at, one))).collect();
        for (at, targets) in found {
            if let Some(one) = self.code.get_mut(&at) {
                one.flow = Flow::Table(targets);
            }
        }
    }

    /// The targets of the table behind the jump at `address`; empty when there is none to be seen.
    fn targets(&self, address: u64, jump: &Instruction) -> Vec<u64> {
        if self.arch == Arch::Thumb {
            return match jump.text.split(' ').next() {
                Some("tbb") => self.offsets_after(address + 4, 1),
                Some("tbh") => self.offsets_after(address + 4, 2),
                _ => Vec::new(),
            };
        }
        let before = self.code.range(..=address).rev().take(24);
        let bases = before.filter_map(|(_, one)| one.explained.or_else(|| constant(&one.text)));
        for base in bases.filter(|base| !self.code.contains_key(base)) {
            let absolute = self.entries(address, base, self.pointer, |_, entry| entry);
            let relative =
                self.entries(address, base, 4, |base, entry| base.wrapping_add(signed(entry)));
            let words = self.entries(address, base, 4, |_, entry| entry);
            if let Some(found) = [absolute, relative, words].into_iter().find(|t| t.len() > 1) {
                return found;
            }
        }
        Vec::new()
    }

    /// The entries at `base`, each `width` bytes, that are addresses in the function of `address`.
    fn entries(&self, address: u64, base: u64, width: usize, to: fn(u64, u64) -> u64) -> Vec<u64> {
        let Some((&start, &(_, end))) = self.ranges.range(..=address).next_back() else {
            return Vec::new();
        };
        let all = (0..).map_while(|i: u64| self.read(base + i * width as u64, width));
        all.map(|entry| to(base, entry))
            .take_while(|to| (start..end).contains(to) && self.code.contains_key(to))
            .collect()
    }

    /// Thumb's tables stand behind their jump and hold half the distance; the nearest target is their end.
    fn offsets_after(&self, base: u64, width: usize) -> Vec<u64> {
        let mut targets = Vec::new();
        let mut end = u64::MAX;
        for i in 0.. {
            let at = base + i * width as u64;
            let Some(entry) = self.read(at, width).filter(|_| at + (width as u64) <= end) else {
                break;
            };
            let to = base + 2 * entry;
            if self.code.contains_key(&to) {
                end = end.min(to);
                targets.push(to);
            }
        }
        targets
    }

    fn read(&self, address: u64, width: usize) -> Option<u64> {
        self.sections.iter().find_map(|(start, data)| {
            let at = usize::try_from(address.checked_sub(*start)?).ok()?;
            let bytes = data.get(at..at.checked_add(width)?)?;
            Some(bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
        })
    }
}

/// A word's 32 bits as a distance.
fn signed(entry: u64) -> u64 {
    let low = u32::try_from(entry & 0xFFFF_FFFF).unwrap_or_default();
    i64::from(low.cast_signed()).cast_unsigned()
}

/// The table's address where it stands in the operand: `jmp QWORD PTR [rax*8+0x80001000]`.
fn constant(text: &str) -> Option<u64> {
    let (_, inside) = text.split_once('[')?;
    let (_, number) = inside.split_once("+0x")?;
    u64::from_str_radix(number.split(']').next()?, 16).ok()
}

/// `80000010:`, a tab, `addi`, a tab, `sp,sp,-32`: an address, a name and operands.
fn instruction(line: &str) -> Option<(u64, Text<'_>)> {
    let (address, rest) = line.split_once(":\t")?;
    let address = u64::from_str_radix(address.trim(), 16).ok()?;
    let rest = rest.trim();
    let (name, operands) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
    Some((address, Text { name, operands: operands.trim() }))
}

#[cfg(test)]
mod tests;
