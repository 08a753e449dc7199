//! What the process's malloc shows to who reads the process from outside: the table of `base::live`, and the note that names it.
use base::live::{At, Table};
use page::System;
use thread::Tls;

use super::{Flagship, HEAP};

static TABLE: Table = HEAP.show(Table::new("heapwright"));

impl<S: System, T: Tls> Flagship<S, T> {
    const fn show(&'static self, table: Table) -> Table {
        let table = self.meta.show(self.pages.show(table));
        let table = self.threads.show(self.central.show(self.huge.show(table)));
        table
            .at(At::Refills, &self.refills)
            .at(At::Flushes, &self.flushes)
            .at(At::Uncached, &self.uncached)
    }
}

/// Has the note be in each file that has this malloc: whatever begins it calls this.
#[inline(never)]
pub(super) fn show() {
    base::live_note!(TABLE, show);
}
