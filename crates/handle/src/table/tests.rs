use page::bitmap::BitmapPages;

use super::*;
use crate::shapes::Memory;

#[test]
fn rows_stay_where_they_are_and_keep_what_they_held() {
    let mut memory = Memory::new(256);
    let mut pages: BitmapPages = memory.pages();
    let mut table = Table::<[u64; 3]>::new();
    assert_eq!(table.bytes(), 0);
    for index in 0..4000u32 {
        assert_eq!(table.push([u64::from(index); 3], &mut pages), Some(index));
    }
    let first: *const _ = table.get(0).unwrap();
    assert_eq!(table.push([0; 3], &mut pages), Some(4000));
    assert_eq!(first, core::ptr::from_ref(table.get(0).unwrap()));
    for index in 0..4000 {
        assert_eq!(table.get(index), Some(&[u64::from(index); 3]));
    }
    assert_eq!(table.get(4001), None);
    // 170 rows in a page: four pieces of 1 page, four of 2, and three of 4.
    assert_eq!(table.bytes(), 24 * PAGE);
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
