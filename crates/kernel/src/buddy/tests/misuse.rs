//! Memory that is not taken or not given up, and requests that cannot be served.
use super::*;

fn add(buddy: &mut Buddy<64>, start: *mut u8, len: usize) -> Result<(), AddError> {
    // SAFETY: either refused, or memory of the test.
    let result = unsafe { buddy.add_memory(start, len) };
    buddy.check().unwrap();
    result
}

#[test]
fn memory_at_the_end_of_addresses_and_more_than_half_of_it_is_refused() {
    let low = core::ptr::without_provenance_mut(64);
    let all = isize::MAX as usize + 1;
    assert_eq!(add(&mut Buddy::new(), low, all), Err(AddError::TooLarge));
    let top = core::ptr::without_provenance_mut(usize::MAX - 40);
    assert_eq!(add(&mut Buddy::new(), top, 40), Err(AddError::TooSmall));
}

#[test]
fn the_smallest_pool_holds_one_unit() {
    let memory = Memory::new(1024, 1024, 0);
    let smallest = (0..1024).find(|len| add(&mut Buddy::new(), memory.start(), *len).is_ok());
    let len = smallest.unwrap();
    assert_eq!(len, 128, "one unit for the record of 5 words and the state");
    let mut buddy = Buddy::new();
    add(&mut buddy, memory.start(), len).unwrap();
    assert_eq!(shape(&buddy), [-1]);
    let block = buddy.allocate(layout(64, 64)).unwrap();
    give(&mut buddy, block, layout(64, 64));
}

#[test]
fn any_size_and_alignment_is_used_as_far_as_units_go() {
    for off in [0, 1, 7, 8, 63, 64, 65, 200] {
        for len in [300, 333, 511, 512, 513, 1000, 4097] {
            let memory = Memory::new(len, 64, off);
            let mut buddy = Buddy::new();
            add(&mut buddy, memory.start(), len).unwrap();
            let all = pieces(&buddy);
            let (first, last) = (all[0], all[all.len() - 1]);
            assert!(first.at >= memory.start().addr());
            let end = memory.start().addr() + len;
            assert!(last.at + last.len <= end && last.at + last.len + 64 > end);
            // The record of 5 words, the state of 2 bits a unit, and what aligning costs.
            let lost = first.at - memory.start().addr();
            assert!(lost < 2 * 64 + 6 * WORD + len / 64 / 4, "{off} {len}: {lost}");
            let blocks: Vec<_> = core::iter::from_fn(|| buddy.allocate(layout(1, 1))).collect();
            assert_eq!(blocks.len() * 64, buddy.stats().total);
            for block in blocks {
                give(&mut buddy, block, layout(1, 1));
            }
            assert_eq!(pieces(&buddy), all);
            let given = buddy.remove_memory(memory.start()).unwrap();
            assert_eq!((given.cast().as_ptr(), given.len()), (memory.start(), len));
        }
    }
}

#[test]
fn pages_beyond_every_number_are_refused() {
    let memory = Memory::new(4096, 4096, 0);
    let mut buddy: Buddy<64> = over(&memory);
    let before = pieces(&buddy);
    let largest = isize::MAX as usize;
    for pages in [largest / 64, largest, usize::MAX / 64, usize::MAX] {
        assert_eq!(buddy.allocate_pages(pages, 1), None);
    }
    assert_eq!(buddy.allocate_pages(1, largest + 1), None);
    assert_eq!(pieces(&buddy), before);
}

#[test]
fn check_names_what_a_stray_write_broke() {
    let memory = Memory::new(2048, 1024, 0);
    let mut buddy: Buddy<64> = over(&memory);
    let block = buddy.allocate(layout(64, 64)).unwrap();
    let free = pieces(&buddy).into_iter().find(|piece| !piece.used).unwrap();
    let broken_at = |at: usize, flip: usize| {
        let word = memory.start().with_addr(at).cast::<usize>();
        broken_by(&buddy, word, |old| old ^ flip)
    };
    let state = memory.start().addr() + 5 * WORD;
    assert_eq!(broken_at(free.at + WORD, 64), "buddy-B1", "a link back");
    // The block's own number: a multiple of 2, as it is of order 0.
    let number = (block.addr().get() - pieces_start(&memory)) / 32;
    assert_eq!(broken_at(state, 1 << number), "buddy-B4", "free and counted as used");
    assert_eq!(broken_at(state, 1 << 63 | 1 << number), "buddy-B2");
}

/// Where the units of the test above begin.
fn pieces_start(memory: &Memory) -> usize {
    memory.start().addr() + 64
}
