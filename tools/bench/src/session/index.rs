//! Which workload and which subject: places in the lists of a session and of its result. They are
//! types of their own, so that one cannot be given where the other is asked for.
//!
//! Each is an index of the lists that are by workload or by subject, and of no others. In a result file both are
//! numbers.

use core::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use super::counted::Counts;
use super::pace::Known;
use super::{Details, Failure, Stop, Subject};
use crate::result::{Cell, Entry, Work};
use crate::workload::Workload;

/// A workload of a session or a result, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WorkloadIndex(pub usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SubjectIndex(pub usize);

macro_rules! index_of {
    ($index:ident: $($item:ty),*) => {$(
        impl Index<$index> for Vec<$item> {
            type Output = $item;

            fn index(&self, index: $index) -> &$item {
                &self[index.0]
            }
        }

        impl IndexMut<$index> for Vec<$item> {
            fn index_mut(&mut self, index: $index) -> &mut $item {
                &mut self[index.0]
            }
        }
    )*};
}

index_of!(WorkloadIndex: Workload, Work, Vec<Option<Failure>>, Vec<Details>, Vec<Counts>, u32, Stop, Known);
index_of!(SubjectIndex: Subject, Option<Failure>, Details, Counts, Cell, Entry);
