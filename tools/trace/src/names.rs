//! Names of functions: those that a recording brought along, and those of the program's files.
//!
//! ```text
//! part      [ strings: how many, then each one's length and bytes │ address, module, functions: how many, then each one │ … ]
//! function  [ name, file: numbers of strings, 0 is none; line ]
//! ```

use std::collections::HashMap;

use symbols::{Module, Resolver, Symbol};
use trace_format::varint;

pub use symbols::Names;

use crate::about::About;
use crate::packed::{LONGEST_TEXT, numbers};

/// Addresses in a part.
const PART: usize = 64 << 10;
/// Bytes of strings after which a part ends.
const MUCH: usize = 16 << 20;

/// Names on their way into a packed trace.
#[derive(Debug, Default)]
pub(crate) struct Packing {
    parts: Vec<Vec<u8>>,
    numbers: HashMap<String, u64>,
    strings: Vec<u8>,
    addresses: Vec<u8>,
    count: usize,
}

impl Packing {
    /// The innermost function comes first.
    pub(crate) fn add<'a>(
        &mut self,
        ip: u64,
        module: &str,
        symbols: impl IntoIterator<Item = Symbol<'a>>,
    ) {
        let module = self.number(module);
        let functions: Vec<[u64; 3]> = symbols
            .into_iter()
            .map(|one| [self.number(one.function), self.number(one.file), u64::from(one.line)])
            .collect();
        let head = [ip, module, functions.len() as u64];
        for number in head.into_iter().chain(functions.into_iter().flatten()) {
            numbers::put(&mut self.addresses, number);
        }
        self.count += 1;
        if self.count == PART || self.strings.len() >= MUCH || self.addresses.len() >= MUCH {
            self.end();
        }
    }

    fn number(&mut self, string: &str) -> u64 {
        if string.is_empty() {
            return 0;
        }
        let string = &string[..string.floor_char_boundary(LONGEST_TEXT.min(string.len()))];
        if let Some(&number) = self.numbers.get(string) {
            return number;
        }
        numbers::put(&mut self.strings, string.len() as u64);
        self.strings.extend(string.as_bytes());
        let number = self.numbers.len() as u64 + 1;
        self.numbers.insert(string.to_owned(), number);
        number
    }

    fn end(&mut self) {
        let mut part = Vec::new();
        numbers::put(&mut part, self.numbers.len() as u64);
        part.append(&mut self.strings);
        part.append(&mut self.addresses);
        self.parts.push(part);
        self.numbers.clear();
        self.count = 0;
    }

    /// All of them, as sections have them.
    pub(crate) fn parts(mut self) -> Vec<Vec<u8>> {
        if self.count > 0 {
            self.end();
        }
        self.parts
    }
}

/// Takes the names of one part. `None`: it is damaged.
pub(crate) fn read(part: &[u8], names: &mut Names) -> Option<()> {
    let mut rest = part;
    let mut strings = vec![""];
    for _ in 0..next(&mut rest)? {
        let len = usize::try_from(next(&mut rest)?).ok()?;
        let (string, more) = rest.split_at_checked(len)?;
        strings.push(core::str::from_utf8(string).ok()?);
        rest = more;
    }
    while !rest.is_empty() {
        let (ip, module, functions) = (next(&mut rest)?, next(&mut rest)?, next(&mut rest)?);
        let string = |number: u64| strings.get(usize::try_from(number).ok()?).copied();
        let module = string(module)?;
        let mut symbols = Vec::new();
        for _ in 0..functions {
            let (function, file) = (string(next(&mut rest)?)?, string(next(&mut rest)?)?);
            let line = u32::try_from(next(&mut rest)?).ok()?;
            symbols.push(Symbol { function, file, line });
        }
        names.insert(ip, module, 0, symbols);
    }
    Some(())
}

fn next(bytes: &mut &[u8]) -> Option<u64> {
    let (number, len) = varint::read(bytes)?;
    *bytes = &bytes[len..];
    Some(number)
}

/// Adds the names that the program's files have.
pub(crate) fn add(about: &About, ips: impl IntoIterator<Item = u64>, names: &mut Names) {
    // A program may load `./x.so`.
    let folder = about.note("cwd").unwrap_or_default();
    let whole = |module: &Module| {
        let is_relative = module.path.contains('/') && !module.path.starts_with('/');
        let path = if is_relative && !folder.is_empty() {
            format!("{folder}/{}", module.path)
        } else {
            module.path.clone()
        };
        Module { path, ..module.clone() }
    };
    let modules: Vec<Module> = about.modules.iter().map(whole).collect();
    Resolver::new(&modules, about.start).process(about.pid).add(ips, names);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_as_they_went_in() {
        let mut packing = Packing::default();
        let of = |function, file, line| Symbol { function, file, line };
        let inlined = [of("push_back", "vector.h", 9), of("insert", "cache.cpp", 88)];
        packing.add(0x10, "/bin/app", inlined);
        packing.add(0x20, "", [of("main", "", 0)]);
        for ip in 0..PART as u64 {
            packing.add(0x1000 + ip, "/bin/app", []);
        }
        let parts = packing.parts();
        assert_eq!(parts.len(), 2);
        let mut names = Names::default();
        assert!(parts.iter().all(|part| read(part, &mut names).is_some()));
        assert_eq!(names.len(), PART + 2);
        assert_eq!(names.at(0x10).collect::<Vec<_>>(), inlined);
        assert_eq!(names.at(0x20).next(), Some(of("main", "", 0)));
        assert_eq!(names.module(0x1000), Some(("/bin/app", 0)));
        for len in 1..40 {
            assert!(read(&parts[0][..len], &mut Names::default()).is_none(), "{len}");
        }
    }
}
