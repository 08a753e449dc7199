//! Where areas lie, which frames are behind them, and when they are gone.
use core::fmt::Write as _;

use super::*;

#[test]
fn scattered_frames_are_contiguous_addresses() {
    let mut areas = small(16);
    let page = areas.page_size();
    // All frames, one page each; then every other one is free.
    let singles: Vec<_> = (0..16).map(|_| take(&mut areas, 1)).collect();
    for at in (0..16).step_by(2) {
        give(&mut areas, singles[at]);
    }
    areas.purge();
    let (one, two) = (take(&mut areas, 4), take(&mut areas, 4));
    assert_eq!(frames(&areas, one, 4), [0, 2, 4, 6]);
    assert_eq!(frames(&areas, two, 4), [8, 10, 12, 14]);
    fill(one, 4, page, 1);
    fill(two, 4, page, 2);
    for at in (1..16).step_by(2) {
        give(&mut areas, singles[at]);
    }
    areas.purge();
    // The first and the last of the first area's frames go; what is taken then alternates with the others'.
    let odd = take(&mut areas, 8);
    assert_eq!(frames(&areas, odd, 8), [1, 3, 5, 7, 9, 11, 13, 15]);
    fill(odd, 8, page, 3);
    assert!((0..4 * page).all(|at| byte(one, at) == 1 && byte(two, at) == 2));
    assert!((0..8 * page).all(|at| byte(odd, at) == 3));
    assert_eq!(areas.usage().mappings, 5 + 5 + 9);
}

#[test]
fn frames_in_a_row_are_one_mapping() {
    let mut areas = small(64);
    take(&mut areas, 30);
    assert_eq!(areas.usage().mappings, 2, "one of the frames, and the guard");
    let mut given = [0; 4];
    areas.alloc_frames(&mut given).unwrap();
    assert_eq!(given, [30, 31, 32, 33]);
    // 30 frames are free: not in a row any more.
    let area = take(&mut areas, 30);
    assert_eq!(frames(&areas, area, 2), [34, 35]);
    assert_eq!(areas.usage().mappings, 4);
}

#[test]
fn the_kernel_agrees_about_the_number_of_mappings() {
    let mut areas = small(64);
    let (start, len) = areas.window();
    let count = || {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let at = |line: &str| usize::from_str_radix(line.split('-').next()?, 16).ok();
        maps.lines().filter_map(at).filter(|at| at.wrapping_sub(start) < len).count()
    };
    let singles: Vec<_> = (0..32).map(|_| take(&mut areas, 1)).collect();
    for at in (0..32).step_by(2) {
        give(&mut areas, singles[at]);
    }
    // The guard behind the last area is one mapping with the addresses behind it.
    assert_eq!((count(), areas.usage().mappings), (64, 64));
    areas.purge();
    take(&mut areas, 40);
    let (kernel, ours) = (count(), areas.usage().mappings);
    assert!(kernel <= ours + 1, "{kernel} mappings, {ours} counted");
}

#[test]
fn the_lowest_addresses_that_fit_with_a_guard_between() {
    let mut areas = small(64);
    let page = areas.page_size();
    let (a, b, c) = (take(&mut areas, 3), take(&mut areas, 1), take(&mut areas, 2));
    let offset = |area: NonNull<u8>| (area.addr().get() - areas.window().0) / page;
    assert_eq!([a, b, c].map(offset), [0, 4, 6]);
    give(&mut areas, a);
    give(&mut areas, b);
    // Five pages and a guard would fit if they were purged.
    let d = take(&mut areas, 5);
    assert_eq!((d.addr().get() - areas.window().0) / page, 9, "they are lazy");
    assert_eq!(areas.purge(), 6 * page);
    let e = take(&mut areas, 5);
    assert_eq!(e.addr().get(), areas.window().0);
    areas.check().unwrap();
}

#[test]
fn aligned_areas() {
    let mut areas = Vmalloc::new(Os, limits(4096, 64)).unwrap();
    for shift in 12..20 {
        let area = areas.vmalloc_aligned(5000, 1 << shift, ME).unwrap();
        assert!(area.addr().get().is_multiple_of(1 << shift));
        areas.check().unwrap();
    }
}

#[test]
fn memory_goes_back_at_once_and_addresses_later() {
    let mut areas = small(64);
    let page = areas.page_size();
    let area = take(&mut areas, 10);
    fill(area, 10, page, 7);
    assert_eq!(resident(area, 10, page), 10);
    give(&mut areas, area);
    assert_eq!(resident(area, 10, page), 0);
    let usage = areas.usage();
    assert_eq!((usage.lazy, usage.held, usage.purges), (11 * page, 10 * page, 0));
    assert_eq!(areas.purge(), 11 * page);
    areas.check().unwrap();
    let usage = areas.usage();
    assert_eq!((usage.lazy, usage.held, usage.free), (0, 0, 64 * page));
    assert_eq!((usage.purges, usage.mappings), (1, 0));
    assert_eq!(areas.purge(), 0);
}

#[test]
fn the_same_number_of_pages_is_the_same_area_and_zero() {
    let mut areas = small(1024);
    let page = areas.page_size();
    let (a, b) = (take(&mut areas, 2), take(&mut areas, 2));
    fill(a, 2, page, 7);
    fill(b, 2, page, 7);
    give(&mut areas, a);
    give(&mut areas, b);
    assert_eq!((take(&mut areas, 2), take(&mut areas, 2)), (b, a), "the last first");
    assert_eq!((byte(a, 0), byte(b, 2 * page - 1)), (0, 0));
    let (listed, long) = (take(&mut areas, 256), take(&mut areas, 257));
    give(&mut areas, listed);
    give(&mut areas, long);
    assert_ne!(take(&mut areas, 257), long);
    assert_eq!(take(&mut areas, 256), listed);
}

#[test]
fn zero_in_spite_of_what_was_written_after_it_was_freed() {
    let mut areas = small(8);
    let page = areas.page_size();
    let area = take(&mut areas, 2);
    give(&mut areas, area);
    fill(area, 2, page, 9);
    let again = areas.vzalloc(2 * page, ME).unwrap();
    assert_eq!(again, area, "the same, used again as it is");
    assert!((0..2 * page).all(|at| byte(again, at) == 0));
    give(&mut areas, again);
    fill(again, 2, page, 9);
    areas.purge();
    let other = areas.vzalloc(page, ME).unwrap();
    assert_eq!(frames(&areas, other, 1), [0], "the same frame behind another area");
    assert!((0..page).all(|at| byte(other, at) == 0));
}

#[test]
fn a_closed_descriptor_is_an_error_and_touches_no_other_file() {
    let mut areas = small(8);
    let page = areas.page_size();
    let (kept, freed) = (take(&mut areas, 2), take(&mut areas, 1));
    let mut given = [0; 2];
    areas.alloc_frames(&mut given).unwrap();
    fill(kept, 2, page, 5);
    fill(freed, 1, page, 6);
    // SAFETY: no frame is mapped by it from here on, which is what is tested.
    unsafe { areas.source().close_frames(areas.file()) };
    assert_eq!(areas.vmalloc(3 * page, ME), Err(VmallocError::Closed));
    assert_eq!(areas.vmap(&given, ME), Err(VmallocError::Closed));
    let grown = resize(&mut areas, kept.as_ptr(), 4 * page);
    assert_eq!(grown, Err(VmallocError::Closed));
    areas.check().unwrap();
    give(&mut areas, freed);
    // It was not punched, and is zero all the same.
    let zero = areas.vzalloc(page, ME).unwrap();
    assert!(zero == freed && (0..page).all(|at| byte(zero, at) == 0));
    assert!((0..2 * page).all(|at| byte(kept, at) == 5));
    give(&mut areas, zero);
    give(&mut areas, kept);
    areas.free_frames(&given).unwrap();
    areas.purge();
    areas.check().unwrap();
    assert_eq!(areas.usage().free, 8 * page);
}

#[test]
fn an_eighth_of_the_mappings_is_left_to_the_program() {
    let most = Os.most_mappings().unwrap();
    assert_eq!(VmallocLimits::of(&Os).mappings, most - most / 8);
}

#[test]
fn a_purge_comes_with_the_threshold_and_when_there_is_need() {
    assert_eq!([1, 2, 3, 4, 64].map(|cpus| lazy_for(cpus) / MIB), [32, 64, 64, 96, 224]);
    let page = small(1).page_size();
    let mut areas = Vmalloc::new(Os, VmallocLimits { lazy: 20 * page, ..limits(64, 64) }).unwrap();
    let all: Vec<_> = (0..4).map(|_| take(&mut areas, 9)).collect();
    give(&mut areas, all[0]);
    give(&mut areas, all[1]);
    assert_eq!((areas.usage().lazy, areas.usage().purges), (20 * page, 0));
    give(&mut areas, all[2]);
    assert_eq!((areas.usage().lazy, areas.usage().purges), (0, 1));
    give(&mut areas, all[3]);
    take(&mut areas, 60);
    assert_eq!(areas.usage().purges, 2, "the frames of the last were needed");
}

#[test]
fn frames_that_are_handed_out_can_be_mapped_in_any_order_and_twice() {
    let mut areas = small(8);
    let page = areas.page_size();
    let mut given = [0; 3];
    areas.alloc_frames(&mut given).unwrap();
    areas.check().unwrap();
    let order = [given[2], given[0], given[0], given[1]];
    let area = areas.vmap(&order, ME).unwrap();
    areas.check().unwrap();
    assert_eq!(frames(&areas, area, 4), order);
    for at in [0, 1, 3] {
        // SAFETY: inside of the area.
        fill(unsafe { area.byte_add(at * page) }, 1, page, 1 + base::bits::low8(at));
    }
    assert_eq!([0, 1, 2, 3].map(|at| byte(area, at * page)), [1, 2, 2, 4]);
    unmap(&mut areas, area);
    let again = areas.vmap(&given, ME).unwrap();
    assert_eq!([0, 1, 2].map(|at| byte(again, at * page)), [2, 4, 1], "the frames kept it");
    assert_eq!(areas.usage().given, 3 * page);
    unmap(&mut areas, again);
    areas.free_frames(&given).unwrap();
    areas.check().unwrap();
    assert_eq!(areas.usage(), VmallocUsage { free: 8 * page, ..VmallocUsage::default() });
    let mut next = [0; 3];
    areas.alloc_frames(&mut next).unwrap();
    let zero = areas.vmap(&next, ME).unwrap();
    assert!((0..3 * page).all(|at| byte(zero, at) == 0));
}

#[test]
fn another_size_keeps_the_contents_and_copies_nothing() {
    let mut areas = small(64);
    let page = areas.page_size();
    let area = take(&mut areas, 3);
    take(&mut areas, 1);
    fill(area, 3, page, 5);
    let before = frames(&areas, area, 3);
    let same = resize(&mut areas, area.as_ptr(), 2 * page + 1).unwrap();
    assert_eq!((same, areas.size_of(same.as_ptr())), (area, Ok(2 * page + 1)));
    let large = resize(&mut areas, area.as_ptr(), 10 * page).unwrap();
    assert_ne!(large, area);
    assert_eq!(frames(&areas, large, 10)[..3], before, "the same frames");
    assert!((0..3 * page).all(|at| byte(large, at) == 5));
    fill(large, 10, page, 6);
    let less = resize(&mut areas, large.as_ptr(), page).unwrap();
    assert_eq!((less, byte(less, page - 1)), (large, 6));
    assert_eq!((areas.usage().held, areas.usage().mapped), (2 * page, 2 * page));
    assert_eq!(
        areas.vmalloc_to_frame(large.as_ptr().wrapping_add(page)),
        Err(VmallocError::Guard { start: large.addr().get() })
    );
    let new = resize(&mut areas, ptr::null_mut(), 1).unwrap();
    for area in [less, new] {
        give(&mut areas, area);
    }
}

#[test]
fn a_line_for_each_area() {
    let mut areas = small(16);
    let page = areas.page_size();
    let one = areas.vmalloc(page + 1, Caller::Name("load_module")).unwrap();
    let two = areas.vmalloc(1, Caller::Number(0x1234)).unwrap();
    let mut frame = [0];
    areas.alloc_frames(&mut frame).unwrap();
    let three = areas.vmap(&frame, ME).unwrap();
    give(&mut areas, two);
    let mut lines = String::new();
    let areas_in_order = [
        (one, 3, "load_module pages=2 vmalloc"),
        (two, 2, "unpurged vm_area"),
        (three, 2, "me pages=1 vmap"),
    ];
    for (area, pages, rest) in areas_in_order {
        let (at, len) = (area.addr().get(), pages * page);
        writeln!(lines, "{at:#018x}-{:#018x} {len:7} {rest}", at + len).unwrap();
    }
    assert_eq!(info(&areas), lines);
    assert_eq!(take(&mut areas, 1), two);
    assert!(info(&areas).contains(" me pages=1 vmalloc\n"));
}

#[test]
fn sixty_four_gibibytes_cost_little_at_first() {
    let mut areas = Vmalloc::new(Os, VmallocLimits::of(&Os)).unwrap();
    let page = areas.page_size();
    let area = areas.vzalloc(1, ME).unwrap();
    let tables = NonNull::new(ptr::with_exposed_provenance_mut(areas.start)).unwrap();
    let cost = resident(tables, (areas.window().0 - areas.start) / page, page) * page;
    assert!(cost <= 160 << 10, "{cost} bytes of tables");
    assert!(areas.owns(area.as_ptr()) && !areas.owns(tables.as_ptr()) && !areas.owns(ptr::null()));
}
