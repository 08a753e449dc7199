//! The entry points of the allocators, each under the name `wcet_ALLOCATOR_ENTRY`.
//!
//! `cargo xtask wcet` searches the longest path from each such symbol to its return. So every entry point takes its
//! heap by reference and its request by value, as a caller that knows nothing would pass them, and asks for the
//! alignment that malloc gives. An allocator is a few lines of [`ours`]; those compared with are in `peers`.
#![no_std]

pub mod ours;
#[cfg(feature = "peers")]
pub mod peers;

use core::alloc::Layout;
use core::ptr::{NonNull, null_mut};

/// Two words: what malloc promises.
pub const ALIGN: usize = 2 * size_of::<usize>();

#[inline(always)]
fn layout(size: usize) -> Layout {
    // SAFETY: two words are a power of two, and no request here comes near the limit.
    unsafe { Layout::from_size_align_unchecked(size, ALIGN) }
}

/// As C has it: null for nothing.
#[inline(always)]
fn address(block: Option<NonNull<u8>>) -> *mut u8 {
    block.map_or(null_mut(), NonNull::as_ptr)
}

/// Defines entry points, and `keep`, which keeps them in a program that never calls them.
macro_rules! entries {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {
        $(
            $(#[$doc])*
            /// # Safety
            /// As for the allocator's own method.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? $body
        )*

        /// Makes the compiler believe that somebody calls the entry points of this module.
        pub fn keep() {
            $(core::hint::black_box($name as *const ());)*
        }
    };
}
pub(crate) use entries;
