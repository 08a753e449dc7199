//! vmalloc: two areas whose frames alternate, the lines of /proc/vmallocinfo, and what a pair of calls costs.
//!
//! `cargo run --release -p heapwright-kernel-allocators --example vmalloc`
#![expect(clippy::disallowed_macros, reason = "an example: what is shown is not the program's")]

use std::time::Instant;

use heapwright_kernel_allocators::vmalloc::{Caller, Vmalloc, VmallocLimits};
use source::os::Os;

fn main() {
    let page = source::PageSource::page_size(&Os);
    let few = VmallocLimits { memory: 16 * page, ..VmallocLimits::of(&Os) };
    let mut areas = Vmalloc::new(Os, few).expect("addresses and a file");
    // All frames in areas of one page; then every other one is free.
    let single = |areas: &mut Vmalloc<Os>| areas.vmalloc(page, Caller::Name("single"));
    let singles: Vec<_> = (0..16).map(|_| single(&mut areas).expect("a frame")).collect();
    for area in singles.iter().step_by(2) {
        // SAFETY: live, and nobody uses it.
        unsafe { areas.vfree(area.as_ptr()) }.expect("an area");
    }
    let even = areas.vmalloc(8 * page, Caller::Name("even")).expect("eight frames");
    let frame = |at: usize| areas.vmalloc_to_frame(even.as_ptr().wrapping_add(at * page));
    let frames: Vec<u32> = (0..8).map(|at| frame(at).expect("a page of it")).collect();
    println!("8 pages in a row at {even:p}, over frames {frames:?}");
    let mut text = String::new();
    areas.write_info(&mut text).expect("a string takes all");
    print!("{text}");
    println!("{:?}", areas.usage());

    let mut areas = Vmalloc::new(Os, VmallocLimits::of(&Os)).expect("addresses and a file");
    for pages in [1, 4, 16, 64, 300] {
        let start = Instant::now();
        for _ in 0..20_000 {
            let area = areas.vmalloc(pages * page, Caller::Number(0)).expect("frames");
            // SAFETY: the first byte of a live area.
            unsafe { area.write(1) };
            // SAFETY: live, and nobody uses it.
            unsafe { areas.vfree(area.as_ptr()) }.expect("an area");
        }
        let each = start.elapsed() / 20_000;
        println!("{pages:3} pages: vmalloc, one byte written, vfree: {each:?}");
    }
    println!("{} purges", areas.usage().purges);
}
