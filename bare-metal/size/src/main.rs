//! One allocator as firmware has it: a static, and functions over it that the rest would call.
//!
//! `cargo xtask size` compiles this with one allocator's feature at a time and subtracts what the same program
//! weighs with `nothing`, and the memory functions, which a program has anyway. It is never run.
#![no_std]
#![no_main]

mod chosen;
#[cfg(feature = "talc")]
#[path = "../../probe/src/refuses.rs"]
mod refuses;

use chosen::{Chosen, Subject};
use core::alloc::Layout;
use core::cell::UnsafeCell;
use core::hint::black_box;
use core::ptr::NonNull;

/// Where the allocator lives: its control block.
#[unsafe(no_mangle)]
static HEAP: Place = Place(UnsafeCell::new(Chosen::NEW));

struct Place(UnsafeCell<Chosen>);

// SAFETY: never run; firmware would have one thread or a lock.
unsafe impl Sync for Place {}

#[inline(always)]
fn heap() -> &'static mut Chosen {
    // SAFETY: as above, and no two of the functions below run at once.
    unsafe { &mut *HEAP.0.get() }
}

#[inline(always)]
fn layout(size: usize, align: usize) -> Layout {
    // SAFETY: the caller passes a layout's two numbers.
    unsafe { Layout::from_size_align_unchecked(size, align) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn size_init(start: *mut u8, len: usize) -> bool {
    // SAFETY: the caller gives the memory.
    unsafe { Subject::init(heap(), start, len) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn size_alloc(size: usize, align: usize) -> *mut u8 {
    Subject::alloc(heap(), layout(size, align))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn size_free(block: NonNull<u8>, size: usize, align: usize) {
    // SAFETY: the caller's block.
    unsafe { Subject::free(heap(), block, layout(size, align)) }
}

#[cfg(feature = "realloc")]
#[unsafe(no_mangle)]
unsafe extern "C" fn size_realloc(
    block: NonNull<u8>,
    size: usize,
    align: usize,
    new: usize,
) -> *mut u8 {
    // SAFETY: the caller's block.
    unsafe { Subject::realloc(heap(), block, layout(size, align), new) }
}

/// Everything that must not be thrown away hangs on it.
#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    black_box(&raw const HEAP);
    black_box(size_init as *const ());
    black_box(size_alloc as *const ());
    black_box(size_free as *const ());
    #[cfg(feature = "realloc")]
    black_box(size_realloc as *const ());
    halt()
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    halt()
}

#[inline(always)]
fn halt() -> ! {
    loop {
        core::hint::spin_loop();
    }
}
