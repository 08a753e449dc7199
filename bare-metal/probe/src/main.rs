//! The entry points of the allocators, each under the name `wcet_ALLOCATOR_ENTRY`.
//!
//! This program is compiled for each target and never run: `cargo xtask wcet` disassembles it and searches the
//! longest path from each such symbol to its return. So every entry point takes its heap by reference and its
//! request by value, as a caller that knows nothing would pass them, and asks for the alignment that malloc gives.
//! An allocator is one line of [`ours`]; those compared with are in `peers`.
#![no_std]
#![no_main]

mod ours;
#[cfg(feature = "peers")]
mod peers;
mod runtime;

use core::alloc::Layout;

/// Two words: what malloc promises.
const ALIGN: usize = 2 * size_of::<usize>();

/// A request as malloc makes it; its size is not looked at.
#[inline(always)]
fn layout(size: usize) -> Layout {
    // SAFETY: two words are a power of two, and no request here comes near the limit.
    unsafe { Layout::from_size_align_unchecked(size, ALIGN) }
}

/// Defines the entry points of one allocator, and a list of them that keeps them in the program.
#[macro_export]
macro_rules! entries {
    ($($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {
        $(
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? $body
        )*

        /// The addresses of the entry points above.
        pub(crate) fn keep() {
            $($crate::runtime::keep($name as *const ());)*
        }
    };
}
