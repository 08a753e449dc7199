//! What malloc has resident, of a recording: anonymous memory above the start, without what the program mapped itself. A replay is
//! told in the same measure.
//! Blocks that were there before the recording are malloc's too: a replay allocates them.

use crate::step::{How, Op};

/// Follows it through the steps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Above {
    start: Option<u64>,
    now: u64,
    born: u64,
    mapped: u64,
    most_mapped: u64,
}

impl Above {
    /// The next step. What malloc has now, if this is a look at the process's memory.
    pub fn step(&mut self, op: &Op) -> Option<u64> {
        match *op {
            Op::Allocate { how: How::Born, size, .. } => self.born = self.born.saturating_add(size),
            Op::Map { len, .. } => {
                self.mapped = self.mapped.saturating_add(len);
                self.most_mapped = self.most_mapped.max(self.mapped);
            }
            Op::Unmap { len, .. } => self.mapped = self.mapped.saturating_sub(len),
            Op::Memory { anon, .. } => {
                let start = *self.start.get_or_insert(anon.saturating_sub(self.born));
                self.now = anon.saturating_sub(start.saturating_add(self.mapped));
                return Some(self.now);
            }
            _ => {}
        }
        None
    }

    /// What the process had when the recording began, without the blocks of that time; nothing before the first look.
    pub fn start(&self) -> Option<u64> {
        self.start
    }

    /// What malloc had at the last look.
    pub fn now(&self) -> Option<u64> {
        self.start.map(|_| self.now)
    }

    /// The most that the program itself had mapped.
    pub fn own_mapped(&self) -> u64 {
        self.most_mapped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(anon: u64) -> Op {
        Op::Memory { anon, file: 0, shmem: 0 }
    }

    #[test]
    fn what_was_there_before_and_what_the_program_maps_are_not_mallocs() {
        let mut above = Above::default();
        assert_eq!((above.now(), above.start()), (None, None));
        assert_eq!(above.step(&look(100)), Some(0));
        assert_eq!(above.step(&look(300)), Some(200));
        assert_eq!(above.step(&Op::Map { address: 0, len: 150 }), None);
        assert_eq!(above.step(&look(480)), Some(230));
        above.step(&Op::Unmap { address: 0, len: u64::MAX });
        assert_eq!(above.step(&look(50)), Some(0));
        assert_eq!((above.now(), above.start(), above.own_mapped()), (Some(0), Some(100), 150));
    }

    #[test]
    fn blocks_from_before_are_mallocs() {
        let mut above = Above::default();
        let (how, size) = (How::Born, 60);
        above.step(&Op::Allocate { block: 0, how, size, align: 0, address: 0, frame: 0 });
        assert_eq!(above.step(&look(100)), Some(60));
        assert_eq!(above.step(&look(130)), Some(90));
        assert_eq!(above.start(), Some(40));
    }
}
