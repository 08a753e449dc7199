use super::*;

fn word(at: usize) -> *mut u64 {
    core::ptr::with_exposed_provenance_mut(at)
}

/// A length of whole pages on every machine.
const TWO: usize = 2 << 16;

#[test]
fn pages_go_through_their_states() {
    let at = Os.reserve(1 << 21, 1 << 21).expect("address space");
    assert_eq!(at % (1 << 21), 0);
    // SAFETY: reserved above.
    assert!(unsafe { Os.commit(at, 1 << 21) });
    // SAFETY: committed above.
    assert_eq!(unsafe { word(at).read() }, 0);
    // SAFETY: committed above.
    unsafe { word(at).write(7) };
    // SAFETY: nobody needs the 7.
    assert!(unsafe { Os.purge(at, page_size()) });
    // SAFETY: purged pages stay usable.
    assert_eq!(unsafe { word(at).read() }, 0);
    assert_eq!(Os.claim(at, page_size()), Claim::Taken, "a taken page cannot be claimed");
    // SAFETY: nobody uses the range.
    assert!(unsafe { Os.release(at, 1 << 21) });
    assert_eq!(Os.claim(at, page_size()), Claim::Ours, "a released one can");
    // SAFETY: nobody uses the page.
    assert!(unsafe { Os.release(at, page_size()) });
}

#[test]
fn what_is_decommitted_is_reserved_and_comes_back_zero() {
    let at = Os.reserve(3 * TWO, TWO).expect("address space");
    // SAFETY: reserved above.
    assert!(unsafe { Os.commit(at, 3 * TWO) });
    // SAFETY: committed above.
    unsafe { word(at + TWO).write(7) };
    // SAFETY: nobody needs the 7.
    assert_eq!(unsafe { Os.decommit(at + TWO, TWO) }, Mapped::Done);
    assert_ne!(peek(at + TWO, &mut [0]), Peek::Copied, "it must not be touched");
    assert_eq!(Os.claim(at + TWO, TWO), Claim::Taken, "it is ours");
    // SAFETY: both sides are committed.
    unsafe { word(at).write(1) };
    // SAFETY: as above.
    unsafe { word(at + 2 * TWO).write(1) };
    // SAFETY: reserved again.
    assert!(unsafe { Os.commit(at + TWO, TWO) });
    // SAFETY: committed again.
    assert_eq!(unsafe { word(at + TWO).read() }, 0);
    // SAFETY: nobody uses the range.
    assert!(unsafe { Os.release(at, 3 * TWO) });
}

#[test]
fn moved_pages_keep_their_contents() {
    let from = Os.map(TWO, 4096).expect("memory");
    let to = Os.map(TWO, 4096).expect("memory");
    // SAFETY: mapped above.
    unsafe { word(from).write(42) };
    // SAFETY: two separate mappings of ours.
    assert_eq!(unsafe { Os.move_pages(from, to, TWO) }, Move::Done);
    // SAFETY: mapped, and written by the move.
    assert_eq!(unsafe { word(to).read() }, 42);
    // SAFETY: still mapped, and zero.
    assert_eq!(unsafe { word(from).read() }, 0);
    // SAFETY: one whole mapping.
    let grown = unsafe { Os.resize(to, TWO, 1 << 22, 1 << 21) }.expect("memory");
    // SAFETY: resizing keeps contents.
    assert_eq!(unsafe { word(grown).read() }, 42);
    for (at, len) in [(from, TWO), (grown, 1 << 22)] {
        // SAFETY: nobody uses the range.
        assert!(unsafe { Os.release(at, len) });
    }
}

#[test]
fn a_fresh_mapping_is_empty_and_a_hole_is_mended() {
    let at = Os.reserve(4 << 20, 1 << 21).expect("address space");
    // SAFETY: reserved above.
    assert!(unsafe { Os.commit(at, 4 << 20) });
    // SAFETY: zero, and nobody uses it.
    assert!(unsafe { Os.renew(at, 1 << 21) });
    // SAFETY: committed above.
    unsafe { word(at).write(7) };
    assert!(!is_hole(at));
    mend(at, 1 << 21);
    // SAFETY: still there: nothing was to be mended.
    assert_eq!(unsafe { word(at).read() }, 7);
    // SAFETY: nobody uses the range.
    assert!(unsafe { Os.release(at, 1 << 21) });
    assert!(is_hole(at));
    mend(at, 1 << 21);
    // SAFETY: mapped again.
    assert_eq!(unsafe { word(at).read() }, 0);
    // SAFETY: nobody uses the range.
    assert!(unsafe { Os.release(at, 4 << 20) });
}

#[test]
fn the_machine_has_memory_and_a_clock() {
    assert!(Os.physical_memory() > 1 << 24);
    assert!(Os.now_ms() > 0);
}

#[test]
fn a_target_is_ours_while_its_mark_is_there() {
    let claimed = (0..100).any(|_| {
        let at = marked(TWO, 1 << 21).expect("memory");
        assert!(is_marked(at));
        // SAFETY: nobody uses the range.
        assert!(unsafe { Os.release(at, TWO) });
        assert!(!is_marked(at), "a hole is nobody's");
        // Another test's thread may be faster: then with another hole.
        if Os.claim(at, TWO) != Claim::Ours {
            return false;
        }
        assert!(!is_marked(at), "another mapping has no mark");
        // SAFETY: nobody uses the range.
        assert!(unsafe { Os.release(at, TWO) });
        true
    });
    assert!(claimed, "no hole of a hundred could be claimed");
}

#[test]
fn what_cannot_be_moved_stays() {
    let at = Os.map(TWO, page_size()).expect("memory");
    // SAFETY: mapped above.
    unsafe { word(at).write(42) };
    // SAFETY: one whole mapping; the kernel has no such number of bytes.
    assert_eq!(unsafe { Os.resize(at, TWO, 1 << 50, 1 << 21) }, None);
    // SAFETY: still there.
    assert_eq!(unsafe { word(at).read() }, 42);
    // SAFETY: nobody uses the range.
    assert!(unsafe { Os.release(at, TWO) });
}

#[test]
fn stretches_go_back_by_one_call_or_not_at_all() {
    let page = page_size();
    let at = Os.map(8 * page, page).expect("memory");
    let pages = || (0..8).map(|number| at + number * page);
    // SAFETY: mapped above.
    pages().for_each(|page| unsafe { word(page).write(42) });
    let stretches = [1, 3, 5].map(|number| Stretch { at: at + number * page, len: page });
    // SAFETY: pages of the mapping above.
    let done = unsafe { Os.purge_each(&stretches) };
    // A kernel before 6.14 takes none, and so may a sandbox.
    assert!([0, 3].contains(&done), "{done}");
    for (number, page) in pages().enumerate() {
        let gone = done == 3 && [1, 3, 5].contains(&number);
        // SAFETY: still mapped.
        assert_eq!(unsafe { word(page).read() }, if gone { 0 } else { 42 }, "page {number}");
    }
    // SAFETY: nobody uses the range.
    assert!(unsafe { Os.release(at, 8 * page) });
}

#[test]
fn a_stretch_of_which_a_part_went_back_does_not_count() {
    let stretches = [1, 2, 3].map(|pages| Stretch { at: pages << 20, len: pages << 12 });
    let counts =
        [0, 4095, 4096, 12_287, 12_288, 20_000, 24_576].map(|bytes| whole_ones(&stretches, bytes));
    assert_eq!(counts, [0, 0, 1, 1, 2, 2, 3]);
}
