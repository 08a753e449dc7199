use super::*;
use crate::tlsf::geometry::Shape;

fn sweep<G: Geometry>() {
    let (steps, highest) = (G::STEPS, G::HIGHEST);
    let mut last = 0;
    for grains in 0..1 << highest.min(16) {
        let bin = by_bit(steps, grains);
        assert_eq!(by_table::<G>(grains), bin, "{grains} grains");
        assert!(bin == last || bin == last + 1, "bins rise one by one");
        last = bin;
        assert!(grains >= 2 * steps || bin == grains, "linear at first");
    }
    for bit in 3..=highest {
        for near in [-2isize, -1, 0, 1, 2] {
            let grains = (1usize << bit).wrapping_add_signed(near).min((2 << highest) - 1);
            assert_eq!(by_table::<G>(grains), by_bit(steps, grains), "{grains}");
        }
        let most = (2 << bit) - 1;
        assert_eq!(by_table::<G>(most), by_bit(steps, most));
    }
    assert!(by_bit(steps, (2 << highest) - 1) < G::BINS, "the last bin is there");
}

#[test]
fn the_table_and_the_bit_agree_in_every_geometry() {
    sweep::<Shape<1, 1, 16>>();
    sweep::<Shape<1, 4, 16>>();
    sweep::<Shape<2, 8, 16>>();
    sweep::<Shape<3, 8, 8>>();
    sweep::<Shape<4, 8, 16>>();
    sweep::<Shape<8, 16, 64>>();
}
