//! The zspages of a class by fullness.

use super::{NONE, Zspage};
use crate::table::Table;

/// Empty; up to 10, 20 … 90 percent; less than full; full.
pub(super) const GROUPS: usize = 12;
const FULL: usize = GROUPS - 1;

pub(super) const fn group(used: usize, objects: usize) -> u8 {
    base::bits::low8(match used {
        0 => 0,
        used if used == objects => FULL,
        used => used * 100 / objects / 10 + 1,
    })
}

/// The first zspage of each fullness, and how many there are.
#[derive(Debug)]
pub(super) struct Lists {
    first: [u32; GROUPS],
    count: [u32; GROUPS],
    pub(super) used: u32,
}

impl Lists {
    pub(super) const fn new() -> Self {
        Self { first: [NONE; GROUPS], count: [0; GROUPS], used: 0 }
    }

    pub(super) const fn count(&self, group: usize) -> usize {
        self.count[group] as usize
    }

    /// A zspage with room, of the fullest.
    pub(super) fn fullest(&self) -> Option<u32> {
        self.first[..FULL].iter().rev().copied().find(|&id| id != NONE)
    }

    /// The emptiest zspage that has objects and of which `may` holds.
    pub(super) fn emptiest(
        &self,
        zspages: &Table<Zspage>,
        may: impl Fn(&Zspage) -> bool,
    ) -> Option<u32> {
        (1..FULL).find_map(|group| {
            self.ids(zspages, group).find(|&id| zspages.get(id).is_some_and(&may))
        })
    }

    /// The zspages of a list, the first one first.
    pub(super) fn ids<'a>(
        &self,
        zspages: &'a Table<Zspage>,
        group: usize,
    ) -> impl Iterator<Item = u32> + use<'a> {
        let first = self.first[group];
        core::iter::successors((first != NONE).then_some(first), |&id| {
            zspages.get(id).map(|zspage| zspage.behind).filter(|&id| id != NONE)
        })
    }

    /// Puts a zspage in front of a list.
    pub(super) fn push(&mut self, zspages: &mut Table<Zspage>, id: u32, group: u8) {
        let list = group as usize;
        let behind = self.first[list];
        if let Some(zspage) = zspages.get_mut(id) {
            (zspage.group, zspage.before, zspage.behind) = (group, NONE, behind);
        }
        if let Some(next) = zspages.get_mut(behind) {
            next.before = id;
        }
        self.first[list] = id;
        self.count[list] += 1;
    }

    pub(super) fn remove(&mut self, zspages: &mut Table<Zspage>, id: u32) {
        let Some(&Zspage { group, before, behind, .. }) = zspages.get(id) else { return };
        match zspages.get_mut(before) {
            Some(last) => last.behind = behind,
            None => self.first[group as usize] = behind,
        }
        if let Some(next) = zspages.get_mut(behind) {
            next.before = before;
        }
        self.count[group as usize] -= 1;
    }
}
