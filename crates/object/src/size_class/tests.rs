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
        assert!(info.words() <= MAX_WORDS);
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
            assert_eq!(info.object_at(offset), offset / info.size as usize, "{class} {offset}");
        }
    }
}

#[test]
fn aligned_classes_are_multiples() {
    for shift in 4..=14 {
        let align = 1usize << shift;
        for size in (1..=MAX_SIZE).step_by(97) {
            let class = class_of_aligned(size, align).expect("64 KiB is a multiple of all");
            assert_eq!(INFO[class].size as usize % align, 0);
            assert!(INFO[class].size as usize >= size);
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
    }
}
