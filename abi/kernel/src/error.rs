//! The kernel's numbers for what was refused.

use core::ffi::c_int;

use base::HandleError;

pub(crate) const ENOMEM: c_int = 12;
pub(crate) const EINVAL: c_int = 22;
pub(crate) const ENOSPC: c_int = 28;

pub(crate) fn number(error: HandleError) -> c_int {
    match error {
        HandleError::Empty => EINVAL,
        HandleError::TooLarge { .. } => ENOSPC,
        _ => ENOMEM,
    }
}
