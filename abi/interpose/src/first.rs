//! The first call of all: the next functions are found, and the slots filled.

use core::sync::atomic::{AtomicBool, Ordering};

use crate::errno::Kept;
use crate::{begin, names, next};

static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// Begins, once. Until it is done the malloc family is the arena: the loader may allocate while it looks names up.
pub(crate) extern "C" fn begin() {
    if HAS_BEGUN.swap(true, Ordering::Relaxed) {
        return;
    }
    begin_now();
    leave_zeros();
}

/// Never inlined: what its frame leaves must lie where [`leave_zeros`] writes, and not above.
#[inline(never)]
fn begin_now() {
    let _errno = Kept::now();
    names::switch_to(next::next());
    next::find();
    begin::begin();
}

/// Bytes of the stack that are as before when the recorder has begun: more than a malloc's first call goes down.
const LEFT: usize = 16 << 10;

/// The recorder begins where nothing was called before, and leaves zeros on the stack below. The first call of glibc's malloc (2.36)
/// reads a file to a place on the stack and compares it with a byte more than it has read: what is there decides whether it asks
/// for huge pages.
#[inline(never)]
fn leave_zeros() {
    core::hint::black_box([0u8; LEFT]);
}
