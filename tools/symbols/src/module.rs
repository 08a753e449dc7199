//! The files whose code a process had mapped, and which of them an address lies in.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Module {
    pub start: u64,
    pub end: u64,
    /// Where in the file the first address is.
    pub offset: u64,
    /// By how much addresses are higher than in the file's own count, where that is known; `offset` says nothing then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<u64>,
    pub path: String,
    /// Its build id in hexadecimal digits, or nothing.
    pub build_id: String,
}

impl Module {
    /// The address as it is counted from the module's begin: in the file, or by its own count where only that is known.
    pub fn place(&self, address: u64) -> u64 {
        match self.base {
            Some(base) => address.wrapping_sub(base),
            None => address.wrapping_sub(self.start).wrapping_add(self.offset),
        }
    }
}

/// Modules in the order of addresses.
#[derive(Debug, Clone, Default)]
pub(crate) struct Modules {
    list: Vec<Module>,
    /// The highest end of a module and those before it.
    ends: Vec<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lies {
    In(usize),
    /// In several, which were there one after the other: nobody knows in which.
    InSeveral(usize),
    Outside,
}

impl Modules {
    pub(crate) fn new(modules: &[Module]) -> Self {
        let mut list = modules.to_vec();
        list.sort_by_key(|module| module.start);
        let ends = list.iter().scan(0, |end: &mut u64, module| {
            *end = module.end.max(*end);
            Some(*end)
        });
        let ends = ends.collect();
        Self { list, ends }
    }

    pub(crate) fn get(&self, number: usize) -> &Module {
        &self.list[number]
    }

    pub(crate) fn find(&self, address: u64) -> Lies {
        let before = self.list.partition_point(|module| module.start <= address);
        let mut found = Lies::Outside;
        for number in (0..before).rev().take_while(|&number| self.ends[number] > address) {
            let module = &self.list[number];
            if address >= module.end {
                continue;
            }
            found = match found {
                Lies::In(other) if !is_same(&self.list[other], module) => {
                    return Lies::InSeveral(other);
                }
                Lies::In(other) => Lies::In(other),
                _ => Lies::In(number),
            };
        }
        found
    }
}

fn is_same(a: &Module, b: &Module) -> bool {
    (&a.path, &a.build_id, a.base) == (&b.path, &b.build_id, b.base)
        && (a.base.is_some() || a.place(a.start.max(b.start)) == b.place(a.start.max(b.start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(start: u64, end: u64, path: &str) -> Module {
        Module { start, end, path: path.into(), ..Module::default() }
    }

    #[test]
    fn an_address_lies_in_one_in_none_or_in_several() {
        let long = module(0x1000, 0x9000, "/bin/a");
        let modules = Modules::new(&[
            module(0x2000, 0x3000, "/lib/b"),
            long.clone(),
            module(0xa000, 0xb000, "/lib/c"),
        ]);
        assert_eq!(modules.find(0xfff), Lies::Outside);
        assert_eq!(modules.find(0x1000), Lies::In(0));
        assert_eq!(modules.find(0x4000), Lies::In(0));
        assert!(matches!(modules.find(0x2800), Lies::InSeveral(_)));
        assert_eq!(modules.find(0x9000), Lies::Outside);
        assert_eq!(modules.find(0xa000), Lies::In(2));
        // The same file, seen twice.
        let half = Module { start: 0x2000, offset: 0x1000, ..long.clone() };
        assert!(matches!(Modules::new(&[long, half]).find(0x2800), Lies::In(_)));
    }

    #[test]
    fn a_place_is_the_files_or_counted_from_its_base() {
        let mut at = module(0x5000, 0x9000, "/bin/a");
        at.offset = 0x1000;
        assert_eq!(at.place(0x5010), 0x1010);
        at.base = Some(0x4000);
        assert_eq!(at.place(0x5010), 0x1010);
    }
}
