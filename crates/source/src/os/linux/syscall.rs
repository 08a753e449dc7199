//! Raw system calls: the kernel's numbers and the instruction that enters it.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(super) use x86_64::{call6, number, thread_pointer};

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
pub(super) use aarch64::{call6, number, thread_pointer};

/// The kernel's answer: errors are the top 4,095 values, negated.
pub(super) fn result(answer: usize) -> Result<usize, i32> {
    let signed = answer.cast_signed();
    if (-4095..0).contains(&signed) {
        return Err(i32::try_from(-signed).unwrap_or(0));
    }
    Ok(answer)
}
