use super::*;

fn class(size: usize, align: usize) -> Class {
    Class::of(Layout::from_size_align(size, align).unwrap()).unwrap()
}

#[test]
fn every_size_gets_the_smallest_class_that_holds_it() {
    for size in 0..=MAX_SIZE {
        let class = class(size, 1);
        assert!(class.size() >= size);
        assert!(class.0 == 0 || Class(class.0 - 1).size() < size, "{size}");
        if size > LINEAR {
            assert!((class.size() - size) * 5 <= class.size(), "{size}: a fifth at most");
        }
    }
    assert_eq!(class(MAX_SIZE, 1).0 + 1, CLASSES);
    assert_eq!(Class::of(Layout::from_size_align(MAX_SIZE + 1, 1).unwrap()), None);
    assert_eq!(Class::of(Layout::from_size_align(1, 2 * MAX_SIZE).unwrap()), None);
}

#[test]
fn every_alignment_divides_the_class() {
    for shift in 0..=MAX_SIZE.ilog2() {
        let align = 1 << shift;
        for size in 0..=MAX_SIZE {
            assert_eq!(class(size, align).size() % align, 0, "{size} {align}");
        }
    }
}

#[test]
fn a_slab_holds_seven_objects_and_its_header() {
    for class in Class::all() {
        let len = class.slab_len::<4096>();
        assert!(len.is_power_of_two() && len >= 7 * class.size() + 5 * size_of::<usize>());
        assert_eq!(len.max(4096), len);
        assert!(len <= 16 << 10);
        assert!(class.slab_len::<256>() <= len);
    }
}
