//! From executed addresses to counts: instructions, branches, loads, stores, atomics, calls.
//!
//! `objdump` disassembles (x86-64, AT&T syntax: sources before the destination); only the addresses that
//! were executed are decoded, so that data between functions cannot mislead it.

use super::trace::{Step, Stretch};
use crate::peers::output;
use core::ops::{AddAssign, Range};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// How many of each kind were executed. Returns are not loads and calls not stores.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) instructions: u32,
    pub(crate) branches: u32,
    pub(crate) loads: u32,
    pub(crate) stores: u32,
    pub(crate) atomics: u32,
    pub(crate) calls: u32,
}

impl Counts {
    /// Name and number of each kind, in the order of the tables.
    pub(crate) fn kinds(&self) -> [(&'static str, u32); 6] {
        [
            ("instructions", self.instructions),
            ("branches", self.branches),
            ("loads", self.loads),
            ("stores", self.stores),
            ("atomics", self.atomics),
            ("calls", self.calls),
        ]
    }

    fn divided(self, by: u32) -> Self {
        Self {
            instructions: self.instructions / by,
            branches: self.branches / by,
            loads: self.loads / by,
            stores: self.stores / by,
            atomics: self.atomics / by,
            calls: self.calls / by,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.instructions += other.instructions;
        self.branches += other.branches;
        self.loads += other.loads;
        self.stores += other.stores;
        self.atomics += other.atomics;
        self.calls += other.calls;
    }
}

/// The text of every executed instruction.
type Text = BTreeMap<Step, String>;

/// The counts of the path taken most often, outside the calling program: the hit path.
pub(super) fn usual(stretches: &[Stretch]) -> Result<Counts, String> {
    let path = usual_path(stretches)?;
    let text = disassemble(&path)?;
    let mut sum = Counts::default();
    for step in &path {
        sum += classify(&text[step]);
    }
    Ok(sum)
}

/// The counts of one round of the loop in the only stretch, the calling program included.
pub(super) fn per_round(stretches: &[Stretch], rounds: u32) -> Result<Counts, String> {
    let [stretch] = stretches else {
        return Err(format!("expected one stretch, found {}", stretches.len()));
    };
    let text = disassemble(&stretch.steps)?;
    let mut sum = Counts::default();
    for step in &stretch.steps {
        sum += classify(&text[step]);
    }
    Ok(sum.divided(rounds))
}

/// The instructions of the path taken most often (of the last two rounds' worth for a loop).
pub(super) fn listing(stretches: &[Stretch]) -> Result<Vec<String>, String> {
    let path = match stretches {
        [one] => one.steps[one.steps.len().saturating_sub(120)..].to_vec(),
        many => usual_path(many)?,
    };
    let text = disassemble(&path)?;
    let line = |step: &Step| {
        let file = step.file.file_name().unwrap_or_default().to_string_lossy();
        format!("{file:24} {:8x}  {}", step.offset, text[step])
    };
    Ok(path.iter().map(line).collect())
}

fn usual_path(stretches: &[Stretch]) -> Result<Vec<Step>, String> {
    let mut seen: BTreeMap<Vec<Step>, usize> = BTreeMap::new();
    for stretch in stretches {
        let path = stretch.steps.iter().filter(|s| s.file != stretch.program).cloned().collect();
        *seen.entry(path).or_default() += 1;
    }
    let most = seen.into_iter().max_by_key(|(_, times)| *times);
    most.map(|(path, _)| path).ok_or_else(|| "no call was seen".to_owned())
}

/// Disassembles exactly the executed instructions.
fn disassemble(steps: &[Step]) -> Result<Text, String> {
    let mut files: BTreeMap<&Path, BTreeSet<u64>> = BTreeMap::new();
    for step in steps {
        files.entry(&step.file).or_default().insert(step.offset);
    }
    let mut text = Text::new();
    for (file, offsets) in files {
        let shift = address_shift(file)?;
        let mut rest: Vec<u64> = offsets.into_iter().rev().collect();
        while let Some(first) = rest.pop() {
            // One call covers what lies close together; each begins at a known instruction.
            let start = first.wrapping_add(shift);
            let mut known = lines(file, Some(start..start + 512))?;
            let here = known.remove(&first.wrapping_add(shift));
            let here = here.ok_or_else(|| format!("{}: nothing at {first:x}", file.display()))?;
            text.insert(Step { file: file.to_owned(), offset: first }, here);
            while let Some(&next) = rest.last() {
                let Some(line) = known.remove(&next.wrapping_add(shift)) else { break };
                text.insert(Step { file: file.to_owned(), offset: next }, line);
                rest.pop();
            }
        }
    }
    Ok(text)
}

/// What to add to a file offset to get the address `objdump` shows.
fn address_shift(file: &Path) -> Result<u64, String> {
    let headers = output(Command::new("readelf").args(["-lW"]).arg(file))?;
    for line in headers.lines().filter(|l| l.trim_start().starts_with("LOAD")) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| {
            let hex = fields.get(at)?.strip_prefix("0x")?;
            u64::from_str_radix(hex, 16).ok()
        };
        let (Some(offset), Some(address)) = (number(1), number(2)) else { continue };
        if fields.iter().skip(6).any(|flag| *flag == "E" || *flag == "RE" || *flag == "RWE") {
            return Ok(address.wrapping_sub(offset));
        }
    }
    Err(format!("{} has no executable part", file.display()))
}

/// Address to instruction text, for the whole file or what of it lies in `range`.
pub(crate) fn lines(
    file: &Path,
    range: Option<Range<u64>>,
) -> Result<BTreeMap<u64, String>, String> {
    let mut objdump = Command::new("objdump");
    objdump.args(["-d", "-w", "--no-show-raw-insn"]);
    if let Some(Range { start, end }) = range {
        objdump.arg(format!("--start-address={start:#x}")).arg(format!("--stop-address={end:#x}"));
    }
    let listing = output(objdump.arg(file))?;
    let instruction = |line: &str| {
        let (address, text) = line.split_once(":\t")?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        let text = text.split(['#', '<']).next().unwrap_or_default();
        Some((address, text.trim().to_owned()))
    };
    Ok(listing.lines().filter_map(instruction).collect())
}

/// What one instruction does.
pub(crate) fn classify(text: &str) -> Counts {
    let mut one = Counts { instructions: 1, ..Counts::default() };
    let mut words = text.split_whitespace();
    let mut name = words.next().unwrap_or_default();
    let mut locked = false;
    while matches!(name, "lock" | "rep" | "repz" | "repnz" | "notrack" | "bnd" | "data16" | "cs") {
        locked |= name == "lock";
        name = words.next().unwrap_or_default();
    }
    let operands = operands(&words.collect::<Vec<_>>().join(" "));
    let memory =
        |text: &String| text.contains('(') || text.starts_with("%fs:") || text.starts_with("%gs:");
    let to_memory = operands.last().is_some_and(memory);
    let from_memory = operands.iter().rev().skip(1).any(memory);
    one.atomics = u32::from(locked || (name.starts_with("xchg") && (to_memory || from_memory)));

    let jump = name.starts_with('j');
    one.branches = u32::from(jump && !name.starts_with("jmp"));
    one.calls = u32::from(name.starts_with("call"));
    if name.starts_with("lea") || name.starts_with("nop") || name.starts_with("prefetch") {
        return one;
    }
    if jump || one.calls == 1 {
        one.loads = u32::from(to_memory);
        return one;
    }
    let reads_only =
        ["cmp", "test", "bt", "ucomi", "comi", "vucomi", "vcomi", "ptest", "mul", "div", "idiv"];
    let writes_only = ["mov", "vmov", "set", "stos"];
    let is = |names: &[&str]| names.iter().any(|n| name.starts_with(n));
    one.loads = u32::from(from_memory);
    if name.starts_with("push") {
        one.loads = u32::from(to_memory);
        one.stores = 1;
    } else if name.starts_with("pop") && !name.starts_with("popcnt") {
        one.loads = 1;
        one.stores = u32::from(to_memory);
    } else if to_memory {
        let bit_change = ["bts", "btr", "btc"].iter().any(|n| name.starts_with(n));
        one.loads += u32::from(!is(&writes_only));
        one.stores += u32::from(bit_change || !is(&reads_only));
    }
    one
}

/// The operands of an instruction: split at commas that are not inside parentheses.
fn operands(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut depth, mut part) = (0, String::new());
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(core::mem::take(&mut part));
        } else if !c.is_whitespace() {
            part.push(c);
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests;
