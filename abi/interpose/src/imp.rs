//! The few instructions that are not Rust, by processor.

#[cfg(target_arch = "x86_64")]
mod x86_64;
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{
    call_aside, call_between, count_down, filtered, filtered_and_counted, jump, jump_after,
    jump_unless, saved_registers, stack_of, thread_pointer, with_caller,
};

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::{
    call_aside, call_between, jump, jump_after, jump_unless, saved_registers, stack_of,
    thread_pointer, with_caller,
};
