use core::ptr;

use super::*;
use crate::PageSource;

fn read(at: usize) -> u8 {
    // SAFETY: the tests read pages that are mapped.
    unsafe { ptr::with_exposed_provenance::<u8>(at).read_volatile() }
}

fn write(at: usize, byte: u8) {
    // SAFETY: the tests write pages that are mapped.
    unsafe { ptr::with_exposed_provenance_mut::<u8>(at).write_volatile(byte) };
}

#[test]
fn any_frame_behind_any_page() {
    let page = page_size();
    let file = Os.create_frames(8).expect("a file");
    let at = Os.reserve(4 * page, page).expect("addresses");
    for (index, frame) in [5, 0, 5, 7].into_iter().enumerate() {
        // SAFETY: reserved above.
        let mapped = unsafe { Os.map_frames(file, frame, 1, at + index * page) };
        assert_eq!(mapped, Mapped::Done);
    }
    write(at, 1);
    write(at + page, 2);
    assert_eq!((read(at + 2 * page), read(at + 3 * page)), (1, 0), "one frame, two pages");
    // SAFETY: nobody uses the pages.
    assert_eq!(unsafe { Os.unmap_frames(at, 2 * page) }, Mapped::Done);
    assert_eq!(read(at + 2 * page), 1, "the frame is still there");
    // SAFETY: reserved again.
    assert_eq!(unsafe { Os.map_frames(file, 0, 1, at) }, Mapped::Done);
    assert_eq!(read(at), 2, "a frame keeps its contents");
    // SAFETY: nobody needs them.
    assert!(unsafe { Os.punch_frames(file, 0, 6) });
    assert_eq!((read(at), read(at + 2 * page)), (0, 0));
    // SAFETY: nobody names it afterwards.
    unsafe { Os.close_frames(file) };
    // SAFETY: made above, unused.
    assert!(unsafe { Os.release(at, 4 * page) });
}

#[test]
fn what_cannot_be_mapped_leaves_the_pages_reserved() {
    let page = page_size();
    let at = Os.reserve(page, page).expect("addresses");
    // SAFETY: reserved above; no such file.
    let mapped = unsafe { Os.map_frames(FrameFile(1 << 20), 0, 1, at) };
    assert_eq!(mapped, Mapped::Refused);
    // SAFETY: still reserved.
    assert!(unsafe { Os.commit(at, page) });
    // SAFETY: made above, unused.
    assert!(unsafe { Os.release(at, page) });
    assert!(Os.create_frames(usize::MAX / 2).is_none());
    assert!(Os.processors() >= 1);
}
