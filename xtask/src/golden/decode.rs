//! From executed instructions to counts: instructions, branches, loads, stores, atomics, calls. x86-64 only.

use super::trace::{Step, Stretch};
use crate::files::said;
use core::ops::AddAssign;
use iced_x86::{
    Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess,
};
use object::{Object as _, ObjectSection as _, ObjectSymbol, SectionKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

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
        let [instructions, branches, loads, stores, atomics, calls] =
            self.kinds().map(|(_, count)| count / by);
        Self { instructions, branches, loads, stores, atomics, calls }
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

/// The counts of the path taken most often, outside the calling program: the hit path.
pub(super) fn usual(stretches: &[Stretch]) -> Result<Counts, String> {
    sum(&usual_path(stretches)?)
}

/// The counts of one round of the loop in the only stretch, the calling program included.
pub(super) fn per_round(stretches: &[Stretch], rounds: u32) -> Result<Counts, String> {
    let [stretch] = stretches else {
        return Err(format!("expected one stretch, found {}", stretches.len()));
    };
    Ok(sum(&stretch.steps)?.divided(rounds))
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

fn sum(steps: &[Step]) -> Result<Counts, String> {
    let mut sum = Counts::default();
    for instruction in decode(steps)? {
        sum += classify(&instruction);
    }
    Ok(sum)
}

fn decode(steps: &[Step]) -> Result<Vec<Instruction>, String> {
    let mut files: BTreeMap<&PathBuf, Vec<u8>> = BTreeMap::new();
    for step in steps {
        if !files.contains_key(&step.file) {
            let bytes = fs::read(&step.file).map_err(said(&step.file))?;
            files.insert(&step.file, bytes);
        }
    }
    let one = |step: &Step| {
        let code = files[&step.file].get(usize::try_from(step.offset).ok()?..)?;
        let decoded = Decoder::with_ip(64, code, step.offset, DecoderOptions::NONE).decode();
        (!decoded.is_invalid()).then_some(decoded)
    };
    let found = |step| {
        one(step).ok_or_else(|| format!("{}: nothing at {:x}", step.file.display(), step.offset))
    };
    steps.iter().map(found).collect()
}

/// The addresses in a library at which an atomic instruction stands, and of those dynamic functions that have one of the names;
/// two names of one function are one.
pub(crate) fn places(library: &Path, names: &[&str]) -> Result<(Vec<u64>, Vec<u64>), String> {
    let bytes = fs::read(library).map_err(said(library))?;
    let failed = |why: object::Error| format!("{}: {why}", library.display());
    let file = object::File::parse(&*bytes).map_err(failed)?;
    let mut atomics = Vec::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let code = section.data().map_err(failed)?;
        let decoder = Decoder::with_ip(64, code, section.address(), DecoderOptions::NONE);
        let atomic = decoder.into_iter().filter(|instruction| classify(instruction).atomics != 0);
        atomics.extend(atomic.map(|instruction| instruction.ip()));
    }
    let functions = defined(&file).filter(|(name, _)| names.contains(&name.as_str()));
    let mut functions: Vec<u64> = functions.map(|(_, address)| address).collect();
    functions.sort_unstable();
    functions.dedup();
    Ok((atomics, functions))
}

/// The names that a library defines for others, without versions, and their addresses.
pub(super) fn defined(file: &object::File<'_>) -> impl Iterator<Item = (String, u64)> {
    file.dynamic_symbols().filter(ObjectSymbol::is_definition).map(|symbol| {
        let name = symbol.name().unwrap_or_default();
        (name.split('@').next().unwrap_or_default().to_owned(), symbol.address())
    })
}

fn classify(instruction: &Instruction) -> Counts {
    let mut one = Counts { instructions: 1, ..Counts::default() };
    let mut info = InstructionInfoFactory::new();
    let memory = info.info(instruction).used_memory();
    let explicit = !memory.is_empty()
        && (0..instruction.op_count())
            .any(|at| instruction.op_kind(at) == iced_x86::OpKind::Memory);
    let locked =
        instruction.has_lock_prefix() || instruction.mnemonic() == Mnemonic::Xchg && explicit;
    one.atomics = u32::from(locked);
    match instruction.flow_control() {
        FlowControl::Return => return one,
        FlowControl::ConditionalBranch => one.branches = 1,
        FlowControl::Call | FlowControl::IndirectCall | FlowControl::IndirectBranch => {
            one.calls = u32::from(instruction.flow_control() != FlowControl::IndirectBranch);
            one.loads = u32::from(explicit);
            return one;
        }
        _ => {}
    }
    for access in memory.iter().map(iced_x86::UsedMemory::access) {
        use OpAccess::{CondRead, CondWrite, Read, ReadCondWrite, ReadWrite, Write};
        one.loads += u32::from(matches!(access, Read | CondRead | ReadWrite | ReadCondWrite));
        one.stores += u32::from(matches!(access, Write | CondWrite | ReadWrite | ReadCondWrite));
    }
    one
}

#[cfg(test)]
mod tests;
