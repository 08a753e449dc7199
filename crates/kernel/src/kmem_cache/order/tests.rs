use super::*;

const PAGE: usize = 4096;

#[test]
fn the_kernel_s_table_for_two_processors() {
    let table = [
        (8, 0, 512),
        (16, 0, 256),
        (32, 0, 128),
        (40, 0, 102),
        (64, 0, 64),
        (96, 0, 42),
        (128, 0, 32),
        (192, 0, 21),
        (256, 0, 16),
        (512, 1, 16),
        (1024, 2, 16),
        (2048, 3, 16),
        (4096, 3, 8),
        (8192, 3, 4),
        (5824, 3, 5),
    ];
    for (size, order, count) in table {
        assert_eq!(slab_order(size, PAGE, 2), Some(order), "order of {size}");
        assert_eq!(objects(size, PAGE, order), count, "objects of {size}");
    }
    assert_eq!(PAGE % 40, 16, "bytes behind the last of 102 objects");
}

#[test]
fn more_processors_more_objects() {
    let table = [(1, 8), (2, 12), (4, 16), (8, 20), (16, 24), (32, 28), (64, 32), (128, 36)];
    for (cpus, least) in table {
        assert_eq!(min_objects(cpus), least);
    }
    assert_eq!(slab_order(512, PAGE, 1), Some(0));
    assert_eq!(slab_order(512, PAGE, 128), Some(3));
}

#[test]
fn every_size_fits_and_wastes_less_than_half() {
    for cpus in [1, 2, 16] {
        for size in (8..=PAGE << LARGEST).step_by(if cfg!(miri) { 40_000 } else { 8 }) {
            let order = slab_order(size, PAGE, cpus).unwrap();
            assert!(order <= COSTLY || order == get_order(size, PAGE));
            let slab = PAGE << order;
            assert!(objects(size, PAGE, order) >= 1);
            assert!(slab - objects(size, PAGE, order) * size <= slab / 2, "{size}");
        }
    }
    assert_eq!(slab_order((PAGE << LARGEST) + 8, PAGE, 2), None);
    assert_eq!(slab_order(0, PAGE, 2), None);
}

#[test]
fn orders_of_sizes() {
    let table = [(0, 0), (1, 0), (4096, 0), (4097, 1), (8192, 1), (8193, 2), (4 << 20, 10)];
    for (size, order) in table {
        assert_eq!(get_order(size, PAGE), order, "{size}");
    }
}

#[test]
fn partial_slabs_that_are_kept() {
    let table = [(8, 5), (64, 5), (2047, 5), (4096, 6), (1 << 14, 7), (1 << 20, 10), (1 << 22, 10)];
    for (size, kept) in table {
        assert_eq!(min_partial(size), kept, "{size}");
    }
}
