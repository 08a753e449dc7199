use super::*;

fn word(at: usize) -> *mut u64 {
    core::ptr::with_exposed_provenance_mut(at)
}

fn read(at: usize) -> u64 {
    // SAFETY: the tests read pages that are committed.
    unsafe { word(at).read() }
}

fn write(at: usize, value: u64) {
    // SAFETY: the tests write pages that are committed.
    unsafe { word(at).write(value) };
}

fn release(at: usize, len: usize) {
    // SAFETY: the tests release what nobody uses any more.
    assert!(unsafe { Os.release(at, len) });
}

/// A length of whole pages on every machine.
const TWO: usize = 2 << 16;

#[test]
fn pages_go_through_their_states() {
    let at = Os.reserve(1 << 21, 1 << 21).expect("address space");
    assert_eq!(at % (1 << 21), 0);
    // SAFETY: reserved above.
    assert!(unsafe { Os.commit(at, 1 << 21) });
    assert_eq!(read(at), 0);
    write(at, 7);
    // SAFETY: nobody needs the 7.
    assert!(unsafe { Os.purge(at, page_size()) });
    assert_eq!(read(at), 0);
    assert_eq!(Os.claim(at, page_size()), Claim::Taken, "a taken page cannot be claimed");
    release(at, 1 << 21);
    assert_eq!(Os.claim(at, page_size()), Claim::Ours, "a released one can");
    release(at, page_size());
}

#[test]
fn what_is_decommitted_is_reserved_and_comes_back_zero() {
    let at = Os.reserve(3 * TWO, TWO).expect("address space");
    // SAFETY: reserved above.
    assert!(unsafe { Os.commit(at, 3 * TWO) });
    write(at + TWO, 7);
    // SAFETY: nobody needs the 7.
    assert_eq!(unsafe { Os.decommit(at + TWO, TWO) }, Mapped::Done);
    assert_ne!(peek(at + TWO, &mut [0]), Peek::Copied, "it must not be touched");
    assert_eq!(Os.claim(at + TWO, TWO), Claim::Taken, "it is ours");
    write(at, 1);
    write(at + 2 * TWO, 1);
    // SAFETY: reserved again.
    assert!(unsafe { Os.commit(at + TWO, TWO) });
    assert_eq!(read(at + TWO), 0);
    release(at, 3 * TWO);
}

#[test]
fn moved_pages_keep_their_contents() {
    let from = Os.map(TWO, 4096).expect("memory");
    let to = Os.map(TWO, 4096).expect("memory");
    write(from, 42);
    // SAFETY: two separate mappings of ours.
    assert_eq!(unsafe { Os.move_pages(from, to, TWO) }, Move::Done);
    assert_eq!(read(to), 42);
    assert_eq!(read(from), 0);
    // SAFETY: one whole mapping.
    let grown = unsafe { Os.resize(to, TWO, 1 << 22, 1 << 21) }.expect("memory");
    assert_eq!(read(grown), 42);
    for (at, len) in [(from, TWO), (grown, 1 << 22)] {
        release(at, len);
    }
}

#[test]
fn a_fresh_mapping_is_empty_and_a_hole_is_mended() {
    let at = Os.reserve(4 << 20, 1 << 21).expect("address space");
    // SAFETY: reserved above.
    assert!(unsafe { Os.commit(at, 4 << 20) });
    // SAFETY: zero, and nobody uses it.
    assert!(unsafe { Os.renew(at, 1 << 21) });
    write(at, 7);
    assert!(!is_hole(at));
    mend(at, 1 << 21);
    assert_eq!(read(at), 7);
    release(at, 1 << 21);
    assert!(is_hole(at));
    mend(at, 1 << 21);
    assert_eq!(read(at), 0);
    release(at, 4 << 20);
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
        release(at, TWO);
        assert!(!is_marked(at), "a hole is nobody's");
        // Another test's thread may be faster: then with another hole.
        if Os.claim(at, TWO) != Claim::Ours {
            return false;
        }
        assert!(!is_marked(at), "another mapping has no mark");
        release(at, TWO);
        true
    });
    assert!(claimed, "no hole of a hundred could be claimed");
}

#[test]
fn what_cannot_be_moved_stays() {
    let at = Os.map(TWO, page_size()).expect("memory");
    write(at, 42);
    // SAFETY: one whole mapping; the kernel has no such number of bytes.
    assert_eq!(unsafe { Os.resize(at, TWO, 1 << 50, 1 << 21) }, None);
    assert_eq!(read(at), 42);
    release(at, TWO);
}

#[test]
fn stretches_go_back_by_one_call_or_not_at_all() {
    let page = page_size();
    let at = Os.map(8 * page, page).expect("memory");
    let pages = || (0..8).map(|number| at + number * page);
    pages().for_each(|page| write(page, 42));
    let stretches = [1, 3, 5].map(|number| Stretch { at: at + number * page, len: page });
    // SAFETY: pages of the mapping above.
    let done = unsafe { Os.purge_each(&stretches) };
    // A kernel before 6.14 takes none, and so may a sandbox.
    assert!([0, 3].contains(&done), "{done}");
    for (number, page) in pages().enumerate() {
        let gone = done == 3 && [1, 3, 5].contains(&number);
        assert_eq!(read(page), if gone { 0 } else { 42 }, "page {number}");
    }
    release(at, 8 * page);
}

#[test]
fn a_stretch_of_which_a_part_went_back_does_not_count() {
    let stretches = [1, 2, 3].map(|pages| Stretch { at: pages << 20, len: pages << 12 });
    let counts =
        [0, 4095, 4096, 12_287, 12_288, 20_000, 24_576].map(|bytes| whole_ones(&stretches, bytes));
    assert_eq!(counts, [0, 0, 1, 1, 2, 2, 3]);
}
