//! A critical section, as the crate `critical-section` has the program provide it.
use core::cell::Cell;
use core::fmt;

use super::{ConstNew, Inside, Mutex};

/// Inside is inside a critical section. Those may nest, so a flag keeps a second `work` out.
#[derive(Default)]
pub struct Critical {
    inside: Cell<bool>,
}

// SAFETY: the cell is only used inside a critical section, of which there is one at a time.
unsafe impl Sync for Critical {}

// SAFETY: a critical section, and the flag for those that nest.
unsafe impl Mutex for Critical {
    #[inline]
    fn with<R>(&self, work: impl FnOnce() -> R) -> R {
        critical_section::with(|_| {
            let _inside = Inside::enter(&self.inside);
            work()
        })
    }
}

impl ConstNew for Critical {
    const NEW: Self = Self { inside: Cell::new(false) };
}

/// Without the flag, which another thread may be changing.
impl fmt::Debug for Critical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Critical").finish_non_exhaustive()
    }
}
