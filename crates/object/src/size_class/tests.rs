use super::*;

#[test]
fn every_size_gets_the_smallest_class_that_holds_it() {
    for size in 0..=MAX_SIZE {
        let class = class_of(size);
        assert!(INFO[class].size as usize >= size, "{size}");
        assert!(class == 0 || (INFO[class - 1].size as usize) < size, "{size}");
    }
    assert_eq!(class_of(MAX_SIZE), CLASSES - 1);
}

#[test]
fn linear_classes_need_no_table() {
    for size in 0..=MAX_LINEAR {
        assert_eq!(class_of(size), linear_class_of(size));
    }
}

#[test]
fn waste_is_bounded() {
    for class in 1..CLASSES {
        let info = info(class);
        let slab = info.granules as usize * GRANULE;
        let used = info.objects as usize * info.size as usize;
        let least = if info.size > 32 << 10 { 4 } else { 8 };
        assert!(info.objects >= least && slab - used <= slab / 32, "class {class}: {info:?}");
        assert!(info.words() <= GRANULE / QUANTUM / 64);
        assert!((2..=126).contains(&info.capacity));
        if info.size > 256 {
            let before = INFO[class - 1].size as usize + 1;
            let part = if info.size > 32 << 10 { 5 } else { 9 };
            assert!((info.size as usize - before) * part <= info.size as usize, "class {class}");
        }
    }
}

#[test]
fn dividing_by_multiplying_is_exact() {
    for class in 1..CLASSES {
        let info = info(class);
        for offset in 0..info.granules as usize * GRANULE {
            let index = offset / info.size as usize;
            assert_eq!(info.object_at(offset), index, "{class} {offset}");
            let begins = offset % info.size as usize == 0 && index < info.objects as usize;
            assert_eq!(info.index_of(offset), begins.then_some(index), "{class} {offset}");
        }
    }
}

#[test]
fn aligned_classes_are_the_smallest_multiples() {
    for shift in 0..=14 {
        let align = 1u32 << shift;
        for size in 0..=MAX_SIZE {
            let class =
                class_of_aligned(size, align as usize).expect("64 KiB is a multiple of all");
            let fits = |class: &usize| INFO[*class].size.is_multiple_of(align);
            assert_eq!((class_of(size.max(1))..CLASSES).find(fits), Some(class), "{size} {align}");
        }
    }
    assert_eq!(class_of_aligned(1, 1 << 15), None);
    assert_eq!(class_of_aligned((32 << 10) + 1, 1 << 14), Some(CLASSES - 3));
    assert_eq!(class_of_aligned((48 << 10) + 1, 1 << 14), Some(CLASSES - 1));
    assert_eq!(class_of_aligned(MAX_SIZE + 1, 16), None);
}

#[test]
fn masks_end_with_the_slab() {
    for class in 1..CLASSES {
        let info = info(class);
        let bits: u32 = (0..info.words()).map(|word| info.word_mask(word).count_ones()).sum();
        assert_eq!(bits, info.objects);
        for index in 0..info.words() {
            let whole = info.word_mask(index);
            assert!(info.may_complete(whole), "class {class}");
            let most = info.words() - 1;
            let one_less = whole & (whole - 1);
            assert!(
                index == most || !info.may_complete(one_less) || one_less == info.word_mask(most)
            );
        }
    }
}
