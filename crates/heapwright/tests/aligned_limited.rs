//! A block with an alignment above a page keeps it where the process's addresses are too few for the old block and the new one.
#![cfg(all(target_os = "linux", not(miri)))]

use core::alloc::Layout;
use core::ffi::{c_int, c_long, c_void};
use core::hint::black_box;
use std::alloc::{alloc, dealloc, realloc};
use std::fs;

#[global_allocator]
static A: heapwright::Heapwright = heapwright::Heapwright;

const RLIMIT_AS: c_int = 9;
const PROT_NONE: c_int = 0;
const MAP_PRIVATE_ANONYMOUS_NOREPLACE: c_int = 0x10_0022;

unsafe extern "C" {
    fn setrlimit(resource: c_int, limit: *const [u64; 2]) -> c_int;
    fn mmap(
        at: *mut c_void,
        len: usize,
        prot: c_int,
        flags: c_int,
        fd: c_int,
        from: c_long,
    ) -> *mut c_void;
}

fn limit_addresses(bytes: u64) {
    // SAFETY: two words.
    assert_eq!(unsafe { setrlimit(RLIMIT_AS, &[bytes, u64::MAX]) }, 0, "the limit can be set");
}

fn addresses() -> u64 {
    let text = fs::read_to_string("/proc/self/statm").expect("a file of the system");
    text.split(' ').next().and_then(|pages| pages.parse::<u64>().ok()).expect("pages") * 4096
}

#[test]
fn a_block_without_room_behind_it_stays_aligned() {
    const ALIGN: usize = 1 << 14;
    let layout = |size| Layout::from_size_align(size, ALIGN).expect("a layout");
    limit_addresses(64 << 30);
    // A heap large enough to have looked at the limit.
    let warm: Vec<Vec<u8>> = (0..12).map(|_| vec![1; 1 << 20]).collect();
    let mut size = (40 << 20) + 3 * 4096;
    // SAFETY: the size is not 0.
    let mut block = unsafe { alloc(layout(size)) };
    assert!(!block.is_null() && block.addr().is_multiple_of(ALIGN));
    limit_addresses(addresses() + (30 << 20));
    let mut places = [0; 4];
    for (step, place) in (1..).zip(&mut places) {
        let new = size + (1 << 20) + 4096 * step;
        let behind = block.wrapping_add(size.next_multiple_of(4096)).cast();
        // SAFETY: taken only where nothing is; it is never used.
        unsafe { mmap(behind, 4096, PROT_NONE, MAP_PRIVATE_ANONYMOUS_NOREPLACE, -1, 0) };
        // SAFETY: a live block of that layout.
        let grown = unsafe { realloc(block, layout(size), new) };
        if grown.is_null() {
            break;
        }
        *place = grown.addr();
        (block, size) = (grown, new);
    }
    // A failure's backtrace needs memory.
    limit_addresses(u64::MAX);
    // The compiler believes that they are.
    let misplaced = black_box(places).into_iter().find(|place| !place.is_multiple_of(ALIGN));
    assert_eq!(misplaced, None, "{places:#x?}");
    // SAFETY: a live block of that layout.
    unsafe { dealloc(block, layout(size)) };
    drop(warm);
}
