//! What was live at a fork is never punched nor used again. The other process is a second mapping of the file.
use super::*;

/// The first frames, as another process sees them: mapped on its own.
fn other(areas: &Vmalloc<Os>, count: usize) -> NonNull<u8> {
    let page = areas.page_size();
    let at = source::PageSource::reserve(&Os, count * page, page).expect("addresses");
    // SAFETY: just reserved; both mappings are this test's.
    let mapped = unsafe { Os.map_frames(areas.file(), 0, count, at) };
    assert_eq!(mapped, source::Mapped::Done);
    NonNull::new(ptr::with_exposed_provenance_mut(at)).expect("an address")
}

#[test]
fn the_parent_frees_what_the_child_keeps() {
    let mut areas = small(16);
    let page = areas.page_size();
    let (area, freed_before) = (take(&mut areas, 3), take(&mut areas, 1));
    let mut given = [0; 2];
    areas.alloc_frames(&mut given).unwrap();
    let shown = areas.vmap(&given, ME).unwrap();
    fill(area, 3, page, 1);
    fill(shown, 2, page, 2);
    give(&mut areas, freed_before);
    areas.note_fork(false);
    areas.check().unwrap();
    let child = other(&areas, 6);
    give(&mut areas, area);
    unmap(&mut areas, shown);
    areas.free_frames(&given).unwrap();
    areas.check().unwrap();
    assert!((0..3 * page).all(|at| byte(child, at) == 1));
    assert!((4 * page..6 * page).all(|at| byte(child, at) == 2));
    assert_ne!(take(&mut areas, 3), area, "it is not used again as it is");
    areas.purge();
    areas.check().unwrap();
    let usage = areas.usage();
    assert_eq!((usage.retired, usage.given, usage.held), (5 * page, 0, 3 * page));
    // All that is left, and none of the child's frames is in it.
    let rest = areas.vzalloc(usage.free, ME).unwrap();
    assert_eq!(usage.free, 8 * page);
    fill(rest, 8, page, 9);
    assert!((0..3 * page).all(|at| byte(child, at) == 1));
    assert!((4 * page..6 * page).all(|at| byte(child, at) == 2));
    assert_eq!(areas.vmalloc(1, ME), Err(VmallocError::NoFrames { free: 0 }));
    assert_eq!(areas.free_frames(&given[..1]), Err(VmallocError::NoFrame(given[0])));
    areas.check().unwrap();
}

#[test]
fn an_area_keeps_what_it_inherited_in_another_size() {
    let mut areas = small(16);
    let page = areas.page_size();
    let area = take(&mut areas, 3);
    fill(area, 3, page, 1);
    areas.note_fork(false);
    let child = other(&areas, 3);
    let grown = resize(&mut areas, area.as_ptr(), 5 * page).unwrap();
    assert!((0..3 * page).all(|at| byte(grown, at) == 1));
    let cut = resize(&mut areas, grown.as_ptr(), 2 * page).unwrap();
    assert_eq!((areas.usage().retired, areas.usage().free), (page, 13 * page));
    give(&mut areas, cut);
    areas.purge();
    areas.check().unwrap();
    assert_eq!((areas.usage().retired, areas.usage().free), (3 * page, 13 * page));
    assert!((0..3 * page).all(|at| byte(child, at) == 1));
}

#[test]
fn the_child_takes_none_of_its_parents_frames() {
    let mut areas = small(16);
    let page = areas.page_size();
    let (area, lazy, cut) = (take(&mut areas, 2), take(&mut areas, 1), take(&mut areas, 2));
    let mut given = [0; 1];
    areas.alloc_frames(&mut given).unwrap();
    give(&mut areas, lazy);
    fill(area, 2, page, 1);
    fill(cut, 2, page, 1);
    areas.note_fork(true);
    areas.check().unwrap();
    let parent = other(&areas, 6);
    // The parent uses again what was lazy.
    // SAFETY: inside of the mapping.
    fill(unsafe { parent.byte_add(2 * page) }, 1, page, 3);
    for pages in [1, 2] {
        let refused = areas.vzalloc(pages * page, ME);
        assert_eq!(refused, Err(VmallocError::NoFrames { free: 0 }));
    }
    assert_eq!(areas.alloc_frames(&mut [0]), Err(VmallocError::NoFrames { free: 0 }));
    let grown = resize(&mut areas, area.as_ptr(), 3 * page);
    assert_eq!(grown, Err(VmallocError::NoFrames { free: 0 }));
    resize(&mut areas, cut.as_ptr(), page).unwrap();
    areas.free_frames(&given).unwrap();
    give(&mut areas, area);
    areas.purge();
    areas.check().unwrap();
    assert_eq!(areas.usage().retired, 5 * page);
    assert!((0..2 * page).all(|at| byte(parent, at) == 1));
    assert!((2 * page..3 * page).all(|at| byte(parent, at) == 3));
    assert!((3 * page..5 * page).all(|at| byte(parent, at) == 1));
    assert_eq!(areas.vmalloc(1, ME), Err(VmallocError::NoFrames { free: 0 }));
}

#[test]
fn a_frame_is_mapped_as_often_as_can_be_counted() {
    let mut areas = Vmalloc::new(Os, limits(1024, 8)).unwrap();
    let mut given = [0];
    areas.alloc_frames(&mut given).unwrap();
    areas.note_fork(false);
    let often = [given[0]; 124];
    let area = areas.vmap(&often, ME).unwrap();
    areas.check().unwrap();
    assert_eq!(areas.vmap(&given, ME), Err(VmallocError::FrameMapped(given[0])));
    areas.check().unwrap();
    unmap(&mut areas, area);
    areas.free_frames(&given).unwrap();
    areas.check().unwrap();
    assert_eq!(areas.usage().retired, areas.page_size());
}
