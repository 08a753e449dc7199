//! What must fault does, in a child process: it runs one of these tests alone, with a variable that names the deed.
use std::env;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

use super::*;

const DEED: &str = "HEAPWRIGHT_TEST_DEED";
const SIGSEGV: i32 = 11;

fn child(deed: &str) -> (Option<i32>, Option<i32>) {
    let program = env::current_exe().unwrap();
    let name = "vmalloc::tests::faults::the_guard_page_faults_and_so_does_what_was_purged";
    let mut child = Command::new(program);
    child.args([name, "--exact", "--nocapture"]).env(DEED, deed);
    let status = child.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    (status.signal(), status.code())
}

fn deed(what: &str) {
    let mut areas = small(16);
    let page = areas.page_size();
    let (one, two) = (take(&mut areas, 2), take(&mut areas, 2));
    fill(one, 2, page, 1);
    fill(two, 2, page, 2);
    let at = |area: NonNull<u8>, offset| NonNull::new(area.as_ptr().wrapping_add(offset)).unwrap();
    match what {
        "inside" => assert_eq!(byte(at(one, 2 * page - 1), 0), 1),
        "guard" => _ = byte(at(one, 2 * page), 0),
        "end of the guard" => _ = byte(at(one, 3 * page - 1), 0),
        "lazy" => {
            give(&mut areas, one);
            assert_eq!(byte(one, 0), 0);
            assert_eq!(byte(two, 0), 2);
        }
        "purged" => {
            give(&mut areas, one);
            areas.purge();
            _ = byte(one, 0);
        }
        "shrunk" => {
            resize(&mut areas, one.as_ptr(), page).unwrap();
            _ = byte(at(one, page), 0);
        }
        "mappings" => all_mappings(),
        "scattered" => scattered(),
        other => panic!("{other}"),
    }
}

/// Takes areas until the system maps no more, in spite of our own count; then everything works again.
fn all_mappings() {
    let more = VmallocLimits { mappings: usize::MAX, ..limits(1 << 21, 1 << 20) };
    let mut areas = Vmalloc::new(Os, more).unwrap();
    let page = areas.page_size();
    let mut all = vec![];
    let refused = loop {
        match areas.vmalloc(page, ME) {
            Ok(area) => all.push(area),
            Err(error) => break error,
        }
    };
    assert_eq!(refused, VmallocError::Refused);
    assert!(refused.to_string().contains("65530 mappings (vm.max_map_count)"));
    areas.check().unwrap();
    for &area in &all {
        fill(area, 1, 1, 1);
    }
    for area in all {
        // SAFETY: live until now.
        unsafe { areas.vfree(area.as_ptr()) }.unwrap();
    }
    // Where the system refuses to unmap a part, it does so when there is less.
    while areas.usage().lazy > 0 {
        areas.purge();
    }
    areas.check().unwrap();
    let again = areas.vmalloc(100 * page, ME).unwrap();
    fill(again, 100, page, 1);
}

/// Frames so scattered that the system refuses in the middle of them: the process then has as many mappings as before.
fn scattered() {
    const PIECES: usize = 70_000;
    let more = VmallocLimits { mappings: usize::MAX, ..limits(1 << 20, 1 << 18) };
    let mut areas = Vmalloc::new(Os, more).unwrap();
    let page = areas.page_size();
    let mut given = vec![0; 2 * PIECES];
    areas.alloc_frames(&mut given).unwrap();
    let even: Vec<u32> = given.iter().copied().step_by(2).collect();
    assert_eq!(areas.vmap(&even, ME), Err(VmallocError::Refused));
    areas.check().unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    assert!(maps.lines().count() < 1000);
    let others = source::PageSource::map(&Os, page, page).expect("a mapping");
    // SAFETY: just mapped.
    assert!(unsafe { source::PageSource::release(&Os, others, page) });
    areas.free_frames(&given).unwrap();
    let again = take(&mut areas, 100);
    fill(again, 100, page, 1);
    give(&mut areas, again);
}

#[test]
fn all_mappings_of_a_process_are_an_error_and_no_end() {
    // Only where Linux's limit is what it is unless told otherwise: a higher one takes long to reach.
    let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap();
    if limit.trim() == MAPPINGS.to_string() {
        assert_eq!(child("mappings"), (None, Some(0)));
        assert_eq!(child("scattered"), (None, Some(0)));
    }
}

#[test]
fn the_guard_page_faults_and_so_does_what_was_purged() {
    if let Ok(what) = env::var(DEED) {
        return deed(&what);
    }
    for fine in ["inside", "lazy"] {
        assert_eq!(child(fine), (None, Some(0)), "{fine}");
    }
    for fault in ["guard", "end of the guard", "purged", "shrunk"] {
        assert_eq!(child(fault), (Some(SIGSEGV), None), "{fault}");
    }
}
