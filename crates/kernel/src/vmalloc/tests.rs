use base::Check as _;
use source::Failing;
use source::os::Os;
use source::os::linux::residency::{Residency, residency};

use super::*;

mod faults;
mod forked;
mod losing;
mod misuse;
mod random;
mod refused;
mod shapes;

const ME: Caller = Caller::Name("me");
const MIB: usize = 1 << 20;

/// So many pages of addresses and of frames; nothing is purged unless there is need.
fn limits(addresses: usize, frames: usize) -> VmallocLimits {
    let page = source::PageSource::page_size(&Os);
    VmallocLimits {
        addresses: addresses * page,
        memory: frames * page,
        mappings: 1000,
        lazy: usize::MAX,
    }
}

fn small(frames: usize) -> Vmalloc<Os> {
    Vmalloc::new(Os, limits(64 * frames, frames)).expect("addresses")
}

fn take(areas: &mut Vmalloc<impl FrameSource>, pages: usize) -> NonNull<u8> {
    let area = areas.vmalloc(pages * areas.page_size(), ME).expect("an area");
    areas.check().unwrap();
    area
}

fn give(areas: &mut Vmalloc<impl FrameSource>, area: NonNull<u8>) {
    // SAFETY: the tests free what is live.
    unsafe { areas.vfree(area.as_ptr()) }.unwrap();
    areas.check().unwrap();
}

fn resize(
    areas: &mut Vmalloc<impl FrameSource>,
    area: *mut u8,
    size: usize,
) -> Result<NonNull<u8>, VmallocError> {
    // SAFETY: live or refused; the tests use the new address only.
    let new = unsafe { areas.vrealloc(area, size) };
    areas.check().unwrap();
    new
}

fn unmap(areas: &mut Vmalloc<impl FrameSource>, area: NonNull<u8>) {
    // SAFETY: the tests do not use it any more.
    unsafe { areas.vunmap(area.as_ptr()) }.unwrap();
    areas.check().unwrap();
}

fn fill(area: NonNull<u8>, pages: usize, page: usize, byte: u8) {
    for at in 0..pages {
        // SAFETY: inside of a live area.
        let at = unsafe { area.byte_add(at * page) };
        // SAFETY: as above.
        unsafe { at.write_bytes(byte, page) };
    }
}

fn byte(area: NonNull<u8>, at: usize) -> u8 {
    // SAFETY: inside of a live area.
    let at = unsafe { area.byte_add(at) };
    // SAFETY: as above.
    unsafe { at.read_volatile() }
}

fn frames(areas: &Vmalloc<impl FrameSource>, area: NonNull<u8>, pages: usize) -> Vec<u32> {
    let frame = |page| areas.vmalloc_to_frame(area.as_ptr().wrapping_add(page * areas.page_size()));
    (0..pages).map(|page| frame(page).unwrap()).collect()
}

fn resident(area: NonNull<u8>, pages: usize, page: usize) -> usize {
    let mut each = vec![0; pages];
    assert_eq!(residency(area.addr().get(), &mut each, page), Residency::Known);
    each.iter().filter(|byte| **byte & 1 == 1).count()
}

fn info(areas: &Vmalloc<impl FrameSource>) -> String {
    let mut text = String::new();
    areas.write_info(&mut text).unwrap();
    text
}
