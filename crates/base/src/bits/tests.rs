use super::*;

#[test]
fn rounding_keeps_multiples() {
    assert_eq!(align_up(0, 16), 0);
    assert_eq!(align_up(1, 16), 16);
    assert_eq!(align_up(16, 16), 16);
    assert_eq!(align_down(31, 16), 16);
}

#[test]
fn runs_are_found_where_a_naive_search_finds_them() {
    let patterns = [0u128, 1, u128::MAX, 0b1011_0111, ones(60, 9), ones(0, 64) | ones(65, 63)];
    for bits in patterns {
        let mut longest = 0;
        for len in 1..=128u32 {
            let starts = run_starts(bits, len);
            for at in 0..=(128 - len) {
                let naive = bits & ones(at, len) == ones(at, len);
                assert_eq!(starts >> at & 1 == 1, naive, "bits {bits:#x} len {len} at {at}");
                if naive {
                    longest = len;
                }
            }
        }
        assert_eq!(longest_run_log2(bits), longest.checked_ilog2());
    }
}

#[test]
fn whole_groups_are_those_that_a_naive_look_finds_full() {
    let patterns =
        [0u128, 1, u128::MAX, 0b1111_0110_1011_1111, ones(3, 9), ones(0, 64) | ones(65, 63)];
    for bits in patterns {
        for size in [1, 2, 4, 8, 16, 32, 64, 128] {
            let groups = (0..128 / size).map(|group| ones(group * size, size));
            let naive = groups.filter(|&group| bits & group == group).fold(0, |all, one| all | one);
            assert_eq!(whole_groups(bits, size), naive, "bits {bits:#x} size {size}");
        }
    }
}

#[test]
fn lowest_ones_takes_from_the_bottom() {
    assert_eq!(lowest_ones(0b1011_0110, 3), 0b0001_0110);
    assert_eq!(lowest_ones(0b11, 5), 0b11);
    assert_eq!(lowest_ones(u64::MAX, 1), 1);
    assert_eq!(lowest_ones(u64::MAX, 64), u64::MAX);
    assert_eq!(lowest_ones(u64::MAX << 60, 3), 7 << 60);
    assert_eq!(lowest_ones(u64::MAX << 60, 30), u64::MAX << 60);
    assert_eq!(single_run(0b0110), Some((1, 2)));
    assert_eq!(single_run(u64::MAX), Some((0, 64)));
    assert_eq!(single_run(0b101), None);
    assert_eq!(single_run(0), None);
    assert_eq!(lowest_ones(0, 4), 0);
}
