use super::*;
use crate::tlsf::block::WORD;
use crate::tlsf::geometry::Shape;
use crate::tlsf::placement::{GoodFit, Placement};

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
    carried::<G>();
}

/// Sizes near the limit, as blocks: header and rounding added.
fn carried<G: Geometry>() {
    for size in G::LARGEST - 3 * G::GRAIN..=G::LARGEST + 3 * G::GRAIN {
        let block = GoodFit::block_size::<G>(size, G::LISTED);
        assert_eq!(block.is_some(), size <= G::LARGEST - WORD, "{size:#x}");
        if let Some(block) = block {
            let bin = by_bit(G::STEPS, block / G::GRAIN);
            assert!(bin < G::BINS, "{size:#x} is in bin {bin}");
            assert_eq!(by_table::<G>(block / G::GRAIN), bin, "{size:#x}");
        }
    }
}

#[test]
fn the_table_and_the_bit_agree_in_every_geometry() {
    sweep::<Shape<1, 1, 16>>();
    sweep::<Shape<1, 2, 16>>();
    sweep::<Shape<1, 4, 16>>();
    sweep::<Shape<2, 4, 8>>();
    sweep::<Shape<2, 8, 16>>();
    sweep::<Shape<3, 8, 8>>();
    sweep::<Shape<4, 8, 16>>();
    sweep::<Shape<8, 16, 64>>();
}
