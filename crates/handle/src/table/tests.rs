use base::bits::low32;
use kernel::bitmap::BitmapPages;

use super::*;
use crate::shapes::{Memory, Singles};

#[test]
fn rows_stay_where_they_are_and_keep_what_they_held() {
    let mut memory = Memory::new(256);
    let mut pages: BitmapPages = memory.pages();
    let mut table = Table::<[u64; 3]>::new();
    assert_eq!(table.bytes(), 0);
    for index in 0..4000u32 {
        let (before, most) = (table.bytes(), table.next_bytes());
        assert_eq!(table.push([u64::from(index); 3], &mut pages), Some(index));
        // The ways to a page may be there.
        let took = table.bytes() - before;
        assert!(took <= most && most <= took + PAGE && (took > 0 || most == 0), "{index}");
    }
    let first: *const _ = table.get(0).unwrap();
    assert_eq!(table.push([0; 3], &mut pages), Some(4000));
    assert_eq!(first, core::ptr::from_ref(table.get(0).unwrap()));
    for index in 0..4000 {
        assert_eq!(table.get(index), Some(&[u64::from(index); 3]));
    }
    assert_eq!(table.get(4001), None);
    // 170 rows in a page: 24 pages of rows, 8 of them reached at once, and one of ways to the others.
    assert_eq!(table.bytes(), 25 * PAGE);
    table.give_back(&mut pages);
    assert_eq!((table.bytes(), table.len(), table.get(0)), (0, 0, None));
}

#[test]
fn a_table_without_pages_for_more_is_as_it_was() {
    let mut memory = Memory::new(3);
    let mut pages: BitmapPages = memory.pages();
    let mut table = Table::<u64>::new();
    let mut count = 0;
    while table.push(u64::from(count), &mut pages).is_some() {
        count += 1;
    }
    assert_eq!((table.len(), table.get(count - 1)), (count, Some(&u64::from(count - 1))));
    assert!(count >= 512, "{count}");
}

/// Rows of 512 bytes: 8 in a page, so that few of them need many pages.
type Wide = [u64; 64];

#[test]
fn single_pages_are_enough_however_many_rows_there_are() {
    let mut pages = Singles::default();
    let mut table = Table::<Wide>::new();
    // The last one is behind two pages of ways.
    let count = if cfg!(miri) { 200 } else { 8 * low32(DIRECT + (ONCE + 2) * WAYS) };
    for index in 0..count {
        assert_eq!(table.push([u64::from(index); 64], &mut pages), Some(index));
    }
    for index in 0..count {
        assert_eq!(table.get(index).map(|row| row[63]), Some(u64::from(index)));
    }
    assert_eq!(table.get(count), None);
    assert_eq!(table.bytes(), pages.taken.get() * PAGE);
    table.give_back(&mut pages);
    assert_eq!((pages.taken.get(), table.bytes()), (0, 0));
    assert_eq!(table.push([1; 64], &mut pages), Some(0));
    table.give_back(&mut pages);
}

#[test]
fn a_page_of_ways_without_a_page_of_rows_is_counted_and_goes_back() {
    // The 9th page of rows needs one of ways first: that is the last there is.
    let mut memory = Memory::new(20);
    let mut pages = crate::shapes::Refusing::new(memory.pages(), DIRECT + 1);
    let mut table = Table::<Wide>::new();
    while table.push([7; 64], &mut pages).is_some() {}
    assert_eq!((table.len() as usize, table.bytes()), (DIRECT * 8, (DIRECT + 1) * PAGE));
    pages.left.set(1);
    assert!(table.push([8; 64], &mut pages).is_some(), "the page of ways is there already");
    table.give_back(&mut pages);
    assert_eq!(pages.taken.get(), 0);
}
