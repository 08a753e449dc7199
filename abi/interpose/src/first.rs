//! The first call of all: the next functions are found, and the slots filled.

use core::sync::atomic::{AtomicBool, Ordering};

use crate::errno::Kept;
use crate::{names, next, session};

static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// Begins, once. Until it is done the malloc family is the arena: the loader may allocate while it looks names up.
pub(crate) extern "C" fn begin() {
    if HAS_BEGUN.swap(true, Ordering::Relaxed) {
        return;
    }
    let _errno = Kept::now();
    names::switch_to(next::next());
    next::find();
    session::begin();
}
