use super::*;

fn lived(n: u64) -> Lived {
    Lived {
        address: 0x7000_0000_0000 + n * 48,
        size: n % 1000,
        born: n * 170,
        thread: 3,
        frame: (n % 200) as Frame,
        how: if n.is_multiple_of(3) { How::Calloc } else { How::Malloc },
        align: 0,
    }
}

fn bytes<R: Row<N>, const N: usize>(live: &Live<R, N>) -> usize {
    let bytes = |group: &Group<R, N>| match group {
        Group::Open(rows) => rows.capacity() * size_of::<Option<R>>(),
        Group::Packed(packed) => packed.bytes(),
    };
    live.groups.values().map(bytes).sum()
}

#[test]
fn what_is_left_is_found() {
    let mut live = Live::default();
    (0..50_000).for_each(|block| assert_eq!(live.insert(block, lived(block)), None));
    for block in (0..50_000).filter(|block| block % 97 != 0) {
        assert_eq!(live.remove(block), Some(lived(block)));
        assert_eq!((live.remove(block), live.get(block)), (None, None));
    }
    let left: Vec<(Block, Lived)> =
        (0..50_000).step_by(97).map(|block| (block, lived(block))).collect();
    assert_eq!(live.iter().collect::<Vec<_>>(), left);
    assert!(left.iter().all(|(block, row)| live.get(*block) == Some(*row)));
    let sum: u64 = left.iter().map(|(_, row)| row.size).sum();
    assert_eq!((live.blocks(), live.bytes()), (left.len() as u64, sum));
}

#[test]
fn a_row_takes_few_bytes_and_those_that_die_young_none() {
    let mut live = Live::default();
    const ALL: u64 = 1 << 20;
    for block in 0..ALL {
        live.insert(block, lived(block));
    }
    assert!(bytes(&live) < 12 << 20, "{} bytes", bytes(&live));
    // A third of them at random is less than a third of that.
    for block in (0..ALL).filter(|block| (block ^ block >> 5) % 3 > 0) {
        live.remove(block);
    }
    assert!(bytes(&live) < 7 << 20, "{} bytes", bytes(&live));
    let mut short = Live::default();
    for block in 0..ALL {
        short.insert(block, lived(block));
        if block >= 10_000 {
            short.remove(block - 10_000);
        }
    }
    assert!(short.groups.values().all(|group| matches!(group, Group::Open(_))));
}

#[test]
fn any_number_is_kept_as_it_is() {
    let odd = [0, 1, 255, 256, u64::MAX, u64::MAX - 1, 1 << 40];
    let mut live = Live::default();
    for (block, value) in (0..).zip(odd.repeat(10_000)) {
        live.insert(block, [value]);
    }
    for (block, value) in (0..).zip(odd.repeat(10_000)) {
        assert_eq!((live.get(block), live.remove(block)), (Some([value]), Some([value])));
    }
    assert_eq!((live.blocks(), live.bytes(), live.groups.len() <= OPEN), (0, 0, true));
    let aligned = Lived { how: How::Aligned, align: 1 << 63, ..lived(7) };
    assert_eq!(Lived::of(aligned.columns()), aligned);
}

#[test]
fn numbers_of_a_damaged_trace_do_not_confuse_the_sums() {
    let mut live = Live::default();
    let before = [live.insert(7, [10]), live.insert(7, [20]), live.insert(3, [5])];
    assert_eq!(before, [None, Some([10]), None]);
    live.insert(u64::MAX, [u64::MAX]);
    assert_eq!((live.blocks(), live.bytes()), (3, u64::MAX));
    assert_eq!(live.remove(u64::MAX), Some([u64::MAX]));
    // Far ahead, and then back in groups that are packed or were never there.
    for block in [1 << 20, 2 << 20, 3 << 20, 4 << 20, 5 << 20, 7, 4, 1 << 19] {
        live.insert(block, [block]);
    }
    for block in [7, 4, 1 << 19] {
        assert_eq!(live.get(block), Some([block]));
    }
    assert_eq!(live.remove(99), None);
    assert_eq!(live.blocks(), 9);
    assert!(live.iter().is_sorted_by_key(|(block, _)| block));
}
