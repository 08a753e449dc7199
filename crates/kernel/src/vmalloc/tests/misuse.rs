//! Wrong sizes, wrong pointers and wrong frames: a typed error, and nothing has changed.
use super::*;

#[test]
fn sizes() {
    let mut areas = small(8);
    let most = 8 * areas.page_size();
    let before = areas.usage();
    assert_eq!(areas.vmalloc(0, ME), Err(VmallocError::Empty));
    for size in [most + 1, usize::MAX, isize::MAX as usize] {
        assert_eq!(areas.vmalloc(size, ME), Err(VmallocError::TooLarge { most }));
        assert_eq!(areas.vzalloc(size, ME), Err(VmallocError::TooLarge { most }));
    }
    assert_eq!(areas.vmalloc_aligned(1, 3, ME), Err(VmallocError::Alignment));
    assert_eq!(areas.vmalloc_aligned(1, 0, ME), Err(VmallocError::Alignment));
    assert_eq!(areas.vmalloc_aligned(1, 1 << 62, ME), Err(VmallocError::NoAddresses));
    assert_eq!(areas.usage(), before);
    let half = take(&mut areas, 5);
    assert_eq!(areas.vmalloc(most, ME), Err(VmallocError::NoFrames { free: 3 }));
    let refused = resize(&mut areas, half.as_ptr(), most + 1);
    assert_eq!(refused, Err(VmallocError::TooLarge { most }));
    // SAFETY: as above.
    assert_eq!(unsafe { areas.vrealloc(half.as_ptr(), 0) }, Err(VmallocError::Empty));
    let mut many = [0; 4];
    assert_eq!(areas.alloc_frames(&mut many), Err(VmallocError::NoFrames { free: 3 }));
    areas.check().unwrap();
    let none = VmallocLimits { memory: 0, ..areas.limits() };
    assert_eq!(Vmalloc::new(Os, none).err(), Some(VmallocError::Empty));
}

#[test]
fn no_addresses() {
    let mut areas = Vmalloc::new(Os, limits(8, 8)).unwrap();
    assert_eq!(areas.vmalloc(8 * areas.page_size(), ME), Err(VmallocError::NoAddresses));
    let area = take(&mut areas, 7);
    assert_eq!(areas.vmalloc(1, ME), Err(VmallocError::NoAddresses));
    areas.check().unwrap();
    give(&mut areas, area);
    take(&mut areas, 1);
}

#[test]
fn pointers() {
    let mut areas = small(8);
    let page = areas.page_size();
    let area = take(&mut areas, 2);
    let start = area.addr().get();
    let at = |offset: usize| area.as_ptr().wrapping_add(offset);
    let local = 0u8;
    let wrong = [
        (&raw const local, VmallocError::Foreign),
        (at(0).wrapping_sub(1).cast_const(), VmallocError::Foreign),
        (at(1), VmallocError::Inside { start }),
        (at(page), VmallocError::Inside { start }),
        (at(2 * page), VmallocError::Guard { start }),
        (at(3 * page), VmallocError::NoArea),
        (at(areas.window().1 - 1), VmallocError::NoArea),
        (at(areas.window().1), VmallocError::Foreign),
    ];
    for (pointer, error) in wrong {
        // SAFETY: it is refused.
        assert_eq!(unsafe { areas.vfree(pointer) }, Err(error));
        // SAFETY: as above.
        assert_eq!(unsafe { areas.vunmap(pointer) }, Err(error));
        // SAFETY: as above.
        assert_eq!(unsafe { areas.vrealloc(pointer.cast_mut(), 1) }, Err(error));
        assert_eq!(areas.size_of(pointer), Err(error));
    }
    // SAFETY: null is no area.
    assert_eq!(unsafe { areas.vfree(ptr::null()) }, Ok(()));
    // SAFETY: as above.
    assert_eq!(unsafe { areas.vunmap(ptr::null()) }, Ok(()));
    // SAFETY: it is refused.
    assert_eq!(unsafe { areas.vunmap(area.as_ptr()) }, Err(VmallocError::IsVmalloc));
    areas.check().unwrap();
    assert_eq!(areas.vmalloc_to_frame(at(page + 5)), Ok(1));
    give(&mut areas, area);
    for pointer in [at(0), at(page), at(2 * page)] {
        // SAFETY: it is refused.
        assert_eq!(unsafe { areas.vfree(pointer) }, Err(VmallocError::Freed));
        assert_eq!(areas.vmalloc_to_frame(pointer), Err(VmallocError::Freed));
    }
    areas.purge();
    // SAFETY: it is refused.
    assert_eq!(unsafe { areas.vfree(area.as_ptr()) }, Err(VmallocError::NoArea));
    areas.check().unwrap();
}

#[test]
fn given_frames() {
    let mut areas = small(8);
    let area = take(&mut areas, 1);
    let mut given = [0; 3];
    areas.alloc_frames(&mut given).unwrap();
    let [a, b, c] = given;
    let before = areas.usage();
    assert_eq!(areas.vmap(&[], ME), Err(VmallocError::Empty));
    for (frames, wrong) in [([a, 0], 0), ([7, a], 7), ([b, u32::MAX], u32::MAX)] {
        assert_eq!(areas.vmap(&frames, ME), Err(VmallocError::NoFrame(wrong)));
        assert_eq!(areas.free_frames(&frames), Err(VmallocError::NoFrame(wrong)));
        areas.check().unwrap();
    }
    assert_eq!(areas.free_frames(&[a, b, a]), Err(VmallocError::NoFrame(a)));
    assert_eq!(areas.vmap(&[a; 253], ME), Err(VmallocError::FrameMapped(a)));
    assert_eq!(areas.usage(), before);
    areas.check().unwrap();
    let mapped = areas.vmap(&[c, b], ME).unwrap();
    assert_eq!(areas.free_frames(&[a, b]), Err(VmallocError::FrameMapped(b)));
    // SAFETY: it is refused.
    assert_eq!(unsafe { areas.vfree(mapped.as_ptr()) }, Err(VmallocError::IsVmap));
    // SAFETY: it is refused.
    assert_eq!(unsafe { areas.vrealloc(mapped.as_ptr(), 1) }, Err(VmallocError::IsVmap));
    areas.check().unwrap();
    unmap(&mut areas, mapped);
    // SAFETY: it is refused.
    assert_eq!(unsafe { areas.vunmap(mapped.as_ptr()) }, Err(VmallocError::NoArea));
    areas.free_frames(&[c, a, b]).unwrap();
    assert_eq!(areas.free_frames(&[a]), Err(VmallocError::NoFrame(a)));
    give(&mut areas, area);
}

#[test]
fn too_many_mappings_are_refused_by_name() {
    let mut areas = Vmalloc::new(Os, VmallocLimits { mappings: 12, ..limits(256, 32) }).unwrap();
    let mut all: Vec<u32> = vec![0; 32];
    areas.alloc_frames(&mut all).unwrap();
    let even: Vec<u32> = all.iter().copied().step_by(2).collect();
    areas.free_frames(&even).unwrap();
    let refused = areas.vmalloc(16 * areas.page_size(), ME);
    assert_eq!(refused, Err(VmallocError::TooManyMappings { most: 12 }));
    assert!(refused.unwrap_err().to_string().contains("65530 a process has (vm.max_map_count)"));
    areas.check().unwrap();
    let area = take(&mut areas, 10);
    assert_eq!(areas.usage().mappings, 11);
    let size = 12 * areas.page_size();
    let refused = resize(&mut areas, area.as_ptr(), size);
    assert_eq!(refused, Err(VmallocError::TooManyMappings { most: 12 }));
    areas.check().unwrap();
    give(&mut areas, area);
    let rest = [all[1], all[5], all[9], all[13], all[17], all[21], all[25], all[29], all[31]];
    areas
        .vmap(&[&rest[..], &rest[..2]].concat(), ME)
        .expect("the lazy area's mappings were purged");
    areas.check().unwrap();
    assert_eq!(areas.usage().mappings, 12);
}

#[test]
fn check_names_what_is_broken() {
    let broken = |damage: &dyn Fn(&mut Vmalloc<Os>)| {
        let mut areas = small(16);
        take(&mut areas, 2);
        let area = take(&mut areas, 3);
        let lazy = take(&mut areas, 1);
        give(&mut areas, lazy);
        let mut given = [0; 2];
        areas.alloc_frames(&mut given).unwrap();
        areas.vmap(&given, ME).unwrap();
        areas.check().unwrap();
        assert_eq!(areas.addresses.page_of(area.addr().get()), Some(3));
        damage(&mut areas);
        let broken = areas.check().unwrap_err().invariant;
        broken.split(':').next().unwrap().to_string()
    };
    assert_eq!(broken(&|areas| areas.addresses.row.give(4, 1)), "vmalloc-addresses-A1");
    assert_eq!(
        broken(&|areas| areas.addresses.areas.entry_mut(3).kind = Kind::None),
        "vmalloc-addresses-A1"
    );
    assert_eq!(broken(&|areas| areas.addresses.set_frame(4, None)), "vmalloc-addresses-A2");
    assert_eq!(broken(&|areas| areas.addresses.set_frame(6, Some(1))), "vmalloc-addresses-A2");
    assert_eq!(broken(&|areas| areas.addresses.forget_lists()), "vmalloc-addresses-A3");
    assert_eq!(broken(&|areas| areas.addresses.lazy += 1), "vmalloc-addresses-A4");
    assert_eq!(broken(&|areas| areas.frames.row.give(2, 1)), "vmalloc-frames-F1");
    assert_eq!(broken(&|areas| areas.frames.given += 1), "vmalloc-frames-F2");
    assert_eq!(broken(&|areas| areas.addresses.set_frame(4, Some(9))), "vmalloc-W1");
    assert_eq!(broken(&|areas| areas.frames.states.set(6, frames::GIVEN + 2)), "vmalloc-W2");
    assert_eq!(broken(&|areas| areas.mappings += 1), "vmalloc-W3");
    assert_eq!(broken(&|areas| areas.requested -= 1), "vmalloc-W4");
}
