use super::*;

#[test]
fn both_ways_count_the_same() {
    let powers = (0..usize::BITS).flat_map(|bit| [(1 << bit) - 1, 1 << bit, (1 << bit) + 1]);
    for number in (1..5000).chain(powers).filter(|number| *number > 0) {
        assert_eq!(lowest_one_by_one(number), number.trailing_zeros());
        assert_eq!(lowest_one(number), number.trailing_zeros());
        if let Some(power) = number.checked_next_power_of_two()
            && number > 1
        {
            assert_eq!(log2_up_by_fours(number), power.trailing_zeros(), "{number}");
            assert_eq!(log2_up::<1>(number), power.trailing_zeros());
        }
    }

    for size in 64..5000usize {
        let units = size.div_ceil(64).next_power_of_two();
        assert_eq!(log2_up::<64>(size), units.trailing_zeros());
    }
}
