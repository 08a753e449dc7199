//! Addresses with what is known of each: a table of strings, and for each address a few numbers.

use std::collections::HashMap;

use crate::trouble::Trouble;

/// A function that an address lies in, or that one which it is inlined into. What is not known is empty or 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// Its name, demangled.
    pub function: &'a str,
    pub file: &'a str,
    /// The line of the call, from 1 on.
    pub line: u32,
}

/// Numbers of strings; 0 is the empty one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    pub(crate) function: u32,
    pub(crate) file: u32,
    pub(crate) line: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The file's path, by its number.
    pub(crate) module: u32,
    pub(crate) offset: u64,
    first: u32,
    len: u32,
}

#[derive(Debug, Default)]
pub struct Names {
    strings: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
    entries: Vec<Entry>,
    places: HashMap<u64, Place>,
    /// What is not known, and what would help.
    pub troubles: Vec<Trouble>,
}

impl Names {
    /// What is known of a return address, the innermost function first; nothing is known of some.
    pub fn at(&self, ip: u64) -> impl Iterator<Item = Symbol<'_>> {
        self.entries(ip).iter().map(|entry| Symbol {
            function: self.string(entry.function),
            file: self.string(entry.file),
            line: entry.line,
        })
    }

    /// The file that an address lies in, and where in it.
    pub fn module(&self, ip: u64) -> Option<(&str, u64)> {
        let place = self.places.get(&ip)?;
        Some((self.string(place.module), place.offset))
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// What another tool knows of an address, innermost function first. The first that is said of one holds.
    pub fn insert<'a>(
        &mut self,
        ip: u64,
        module: &str,
        offset: u64,
        symbols: impl IntoIterator<Item = Symbol<'a>>,
    ) {
        if self.places.contains_key(&ip) {
            return;
        }
        let first = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        for symbol in symbols {
            let (function, file) = (self.number(symbol.function), self.number(symbol.file));
            self.entries.push(Entry { function, file, line: symbol.line });
        }
        let len = u32::try_from(self.entries.len()).unwrap_or(u32::MAX).saturating_sub(first);
        let module = self.number(module);
        self.places.insert(ip, Place { module, offset, first, len });
    }

    pub(crate) fn entries(&self, ip: u64) -> &[Entry] {
        let range = self.places.get(&ip).map(|place| {
            let first = place.first as usize;
            first..first.saturating_add(place.len as usize)
        });
        range.and_then(|range| self.entries.get(range)).unwrap_or_default()
    }

    pub(crate) fn place(&self, ip: u64) -> Option<&Place> {
        self.places.get(&ip)
    }

    pub(crate) fn string(&self, number: u32) -> &str {
        let place = (number as usize).checked_sub(1);
        place.and_then(|place| self.strings.get(place)).map_or("", |string| string)
    }

    fn number(&mut self, string: &str) -> u32 {
        if string.is_empty() {
            return 0;
        }
        if let Some(&number) = self.numbers.get(string) {
            return number;
        }
        self.strings.push(string.into());
        let number = u32::try_from(self.strings.len()).unwrap_or(0);
        self.numbers.insert(string.into(), number);
        number
    }
}
