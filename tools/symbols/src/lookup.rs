//! The names of one file's addresses.

use addr2line::Context;
use gimli::{EndianSlice, RunTimeEndian};
use object::{Object as _, ObjectSymbol as _, ObjectSymbolTable as _, SymbolKind};

use crate::elf::{self, Elf};
use crate::names::Symbol;

type Reader<'a> = EndianSlice<'a, RunTimeEndian>;

/// After this number of addresses in debugging information, what was read of it is forgotten.
const FORGET: usize = 4096;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Has {
    pub(crate) symbols: bool,
    pub(crate) lines: bool,
}

/// Hands over what is found of each address, innermost function first, with names as the file has them: mangled. Addresses are by
/// the file's own count.
pub(crate) fn all(
    file: &object::File<'_>,
    debug: Option<&Elf>,
    supplement: Option<&Elf>,
    addresses: &[u64],
    mut each: impl FnMut(usize, &[Symbol<'_>]),
) -> Has {
    let debug = debug.and_then(Elf::file);
    let with_lines = debug.as_ref().unwrap_or(file);
    let symbols = Symbols::of(&[file, with_lines]);
    let has = Has { symbols: !symbols.list.is_empty(), lines: elf::has_debug_info(with_lines) };
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let sections = elf::sections(with_lines);
    let supplement = supplement.and_then(Elf::file).map(|file| elf::sections(&file));
    let context = || {
        let slice = |bytes| Reader::new(bytes, endian);
        let dwarf =
            sections.borrow_with_sup(supplement.as_ref(), |section| slice(section.as_ref()));
        Context::from_dwarf(dwarf).ok()
    };
    for (chunk, addresses) in addresses.chunks(FORGET).enumerate() {
        let context = has.lines.then(context).flatten();
        for (n, &address) in addresses.iter().enumerate() {
            let at = chunk * FORGET + n;
            let symbol = symbols.find(address);
            let names = context.as_ref().map_or_else(Vec::new, |context| frames(context, address));
            let mut found: Vec<Symbol<'_>> = names
                .iter()
                .map(|(function, file, line)| Symbol { function, file, line: *line })
                .collect();
            match (found.last_mut(), symbol) {
                (Some(outermost), Some(symbol)) if is_better(symbol, outermost.function) => {
                    outermost.function = symbol;
                }
                (None, Some(function)) => found.push(Symbol { function, ..Symbol::default() }),
                _ => {}
            }
            each(at, &found);
        }
    }
    has
}

/// Whether the symbol says more: debugging information that has little more than lines names functions without what they are a
/// part of.
fn is_better(symbol: &str, function: &str) -> bool {
    let is_mangled = |name: &str| name.starts_with("_Z") || name.starts_with("_R");
    function.is_empty() || (is_mangled(symbol) && !is_mangled(function))
}

fn frames(context: &Context<Reader<'_>>, address: u64) -> Vec<(String, String, u32)> {
    let mut found = Vec::new();
    let Ok(mut frames) = context.find_frames(address).skip_all_loads() else { return found };
    while let Ok(Some(frame)) = frames.next() {
        let name = frame.function.and_then(|name| name.raw_name().ok().map(String::from));
        let (file, line) = frame.location.map_or_else(Default::default, |location| {
            (location.file.unwrap_or_default().to_owned(), location.line.unwrap_or_default())
        });
        found.push((name.unwrap_or_default(), file, line));
    }
    found
}

#[derive(Debug)]
struct Symbols<'a> {
    /// Begin, end, name; by begin.
    list: Vec<(u64, u64, &'a str)>,
}

impl<'a> Symbols<'a> {
    fn of(files: &[&'a object::File<'_>]) -> Self {
        let tables =
            files.iter().flat_map(|file| [file.symbol_table(), file.dynamic_symbol_table()]);
        let symbols = tables.flatten().flat_map(|table| table.symbols().collect::<Vec<_>>());
        let function = |symbol: object::Symbol<'a, '_>| {
            // Without a size, where it ends would be a guess.
            let is_one =
                symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.size() > 0;
            let end = symbol.address().checked_add(symbol.size())?;
            is_one.then_some((symbol.address(), end, symbol.name().ok()?))
        };
        let mut list: Vec<_> = symbols.filter_map(function).collect();
        // Of several names, the first one in the alphabet without leading underscores: the others are the compiler's.
        list.sort_by_key(|&(begin, end, name)| (begin, end, name.starts_with('_'), name));
        list.dedup_by_key(|&mut (begin, end, _)| (begin, end));
        Self { list }
    }

    fn find(&self, address: u64) -> Option<&'a str> {
        let before = self.list.partition_point(|&(begin, ..)| begin <= address);
        let near = self.list[..before].iter().rev().take(8);
        near.filter(|&&(_, end, _)| address < end).map(|&(.., name)| name).next()
    }
}
