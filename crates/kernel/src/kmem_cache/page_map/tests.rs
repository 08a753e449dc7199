use super::*;
use crate::bitmap::BitmapPages;

use crate::kmem_cache::toy::Pages;

fn address(at: usize) -> NonNull<u8> {
    NonNull::new(ptr::without_provenance_mut(at)).unwrap()
}

fn mark(number: usize) -> *mut u8 {
    ptr::without_provenance_mut(number << 6)
}

#[test]
fn it_grows_upwards_and_keeps_what_it_has() {
    let mut pages = Pages::new(400);
    let map = PageMap::new(4096);
    let far: Vec<usize> = (16..usize::BITS).map(|bit| (1usize << bit) + 0x5000).collect();
    for (number, &at) in far.iter().enumerate() {
        assert!(map.get(at).is_null());
        assert!(map.set(address(at), 1, mark(number + 1), &mut pages));
        for (number, &at) in far[..=number].iter().enumerate() {
            assert_eq!(map.get(at + 4095), mark(number + 1), "{at:#x}");
            assert!(map.get(at + 4096).is_null());
        }
    }
    map.unset(address(far[3]), 1);
    assert!(map.get(far[3]).is_null());
    assert_eq!(map.bytes(), pages.taken() * 4096);
    map.clear(&mut pages);
    assert_eq!((map.bytes(), pages.taken()), (0, 0));
}

#[test]
fn one_node_is_enough_for_two_mib() {
    let mut pages = Pages::new(8);
    let map = PageMap::new(4096);
    assert!(map.set(address(0x20_0000), 512, mark(7), &mut pages));
    assert_eq!(pages.taken(), 1);
    let mut near = Near::NOTHING;
    assert!(map.get_near(0x3f_ffff, &near).is_null(), "nothing is near");
    assert_eq!(map.go(0x3f_ffff, &mut near), mark(7));
    assert!(map.get_near(0x40_0000, &near).is_null());
    assert!(map.go(0x40_0000, &mut near).is_null());
    assert_eq!(map.get_near(0x20_0000, &near), mark(7));
    map.clear(&mut pages);
}

#[test]
fn without_memory_nothing_is_set() {
    for refused in 1..6 {
        let mut pages = Pages::new(64);
        let map = PageMap::new(4096);
        assert!(map.set(address(0x1000), 1, mark(1), &mut pages));
        pages.refuse(refused);
        let far = 1 << (usize::BITS - 2);
        let set = map.set(address(far), 1, mark(2), &mut pages);
        assert_eq!(map.get(far), if set { mark(2) } else { ptr::null_mut() });
        assert_eq!(map.get(0x1000), mark(1));
        map.clear(&mut pages);
        assert_eq!(pages.taken(), 0);
    }
}

#[test]
fn pages_of_other_sizes() {
    let mut memory = vec![0u8; 1 << 18];
    let mut pages = BitmapPages::<64>::new();
    // SAFETY: the memory is the allocator's alone and outlives it.
    unsafe { base::AddMemory::add_memory(&mut pages, memory.as_mut_ptr(), memory.len()) }.unwrap();
    let map = PageMap::new(64);
    assert!(map.set(address(64), 3, mark(1), &mut pages));
    assert_eq!(map.get(64 * 4 - 1), mark(1));
    assert!(map.get(64 * 4).is_null());
    assert!(map.set(address(usize::MAX - 63), 1, mark(2), &mut pages));
    assert_eq!(map.get(usize::MAX), mark(2));
    map.clear(&mut pages);
}
