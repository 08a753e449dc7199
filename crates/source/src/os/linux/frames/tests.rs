use core::ptr;

use super::*;
use crate::PageSource;
use crate::os::linux::descriptor::{LOWEST, copy};

fn read(at: usize) -> u8 {
    // SAFETY: the tests read pages that are mapped.
    unsafe { ptr::with_exposed_provenance::<u8>(at).read_volatile() }
}

fn write(at: usize, byte: u8) {
    // SAFETY: the tests write pages that are mapped.
    unsafe { ptr::with_exposed_provenance_mut::<u8>(at).write_volatile(byte) };
}

fn map(file: FrameFile, frame: usize, count: usize, at: usize) -> Mapped {
    // SAFETY: the tests map frames behind pages that they have reserved and read no more.
    unsafe { Os.map_frames(file, frame, count, at) }
}

fn close_frames(file: FrameFile) {
    // SAFETY: the tests name it no more.
    unsafe { Os.close_frames(file) };
}

fn release(at: usize, len: usize) {
    // SAFETY: the tests release what nobody uses any more.
    assert!(unsafe { Os.release(at, len) });
}

#[test]
fn any_frame_behind_any_page() {
    let page = page_size();
    let file = Os.create_frames(8).expect("a file");
    let at = Os.reserve(4 * page, page).expect("addresses");
    for (index, frame) in [5, 0, 5, 7].into_iter().enumerate() {
        assert_eq!(map(file, frame, 1, at + index * page), Mapped::Done);
    }
    write(at, 1);
    write(at + page, 2);
    assert_eq!((read(at + 2 * page), read(at + 3 * page)), (1, 0), "one frame, two pages");
    // SAFETY: nobody uses the pages.
    assert_eq!(unsafe { Os.unmap_frames(at, 2 * page) }, Mapped::Done);
    assert_eq!(read(at + 2 * page), 1, "the frame is still there");
    assert_eq!(map(file, 0, 1, at), Mapped::Done);
    assert_eq!(read(at), 2, "a frame keeps its contents");
    // SAFETY: nobody needs them.
    assert!(unsafe { Os.punch_frames(file, 0, 6) });
    assert_eq!((read(at), read(at + 2 * page)), (0, 0));
    close_frames(file);
    release(at, 4 * page);
}

#[test]
fn what_cannot_be_mapped_leaves_the_pages_reserved() {
    let page = page_size();
    let at = Os.reserve(page, page).expect("addresses");
    let file = Os.create_frames(1).expect("a file");
    assert_eq!(map(file, usize::MAX / page, 1, at), Mapped::Refused);
    let none = FrameFile { number: 1 << 20, ..file };
    assert_eq!(map(none, 0, 1, at), Mapped::Closed);
    // SAFETY: as above.
    assert!(!unsafe { Os.punch_frames(none, 0, 1) });
    close_frames(file);
    // SAFETY: still reserved.
    assert!(unsafe { Os.commit(at, page) });
    release(at, page);
    assert!(Os.create_frames(usize::MAX / 2).is_none());
    assert!(Os.processors() >= 1);
}

#[test]
fn the_number_is_high_and_closed_by_exec() {
    const F_GETFD: usize = 1;
    let file = Os.create_frames(1).expect("a file");
    assert!(file.number >= LOWEST);
    // SAFETY: asks.
    assert_eq!(unsafe { call6(number::FCNTL, [file.number, F_GETFD, 0, 0, 0, 0]) }, 1);
    close_frames(file);
    assert!(!Os.is_open(file));
}

#[test]
fn a_file_that_got_the_number_is_left_alone() {
    /// Far from the numbers that other tests' files get.
    const MINE: usize = 700;
    let page = page_size();
    let frames = Os.create_frames(2).expect("a file");
    let file = FrameFile { number: copy(frames.number, MINE).expect("a descriptor"), ..frames };
    let at = Os.reserve(2 * page, page).expect("addresses");
    assert_eq!(map(file, 0, 1, at), Mapped::Done);
    write(at, 1);
    close(file.number);
    // The program's: a file in memory too, which is the one that could be mapped and punched.
    let theirs = Os.create_frames(2).expect("a file");
    assert_eq!(copy(theirs.number, file.number), Some(file.number));
    assert_eq!(map(theirs, 0, 1, at + page), Mapped::Done);
    write(at + page, 2);
    assert!(!Os.is_open(file));
    // SAFETY: nobody needs the contents.
    assert!(!unsafe { Os.punch_frames(file, 0, 1) });
    assert_eq!(map(file, 0, 1, at), Mapped::Closed);
    assert_eq!((read(at), read(at + page)), (1, 2));
    close_frames(file);
    assert_eq!(file_of(file.number), Some(theirs.identity), "the program's is open");
    close(file.number);
    [frames, theirs].into_iter().for_each(close_frames);
    release(at, 2 * page);
}

#[test]
fn the_limit_of_mappings_is_known() {
    assert!(Os.most_mappings().is_some_and(|most| most > 1000));
}
