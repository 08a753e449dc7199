//! Programs as a proptest strategy.
//!
//! Operations are drawn one by one, so proptest can shrink them; the seeded [`generate`] makes
//! programs that know what their slots hold, and are the better search.
//!
//! [`generate`]: crate::generate
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::strategy::{BoxedStrategy, Just};

use crate::generate::Distribution;
use crate::program::{Op, Program};
use crate::rng::Rng;

/// Programs of up to `ops` operations on `slots` slots.
pub fn programs(
    distribution: Distribution,
    ops: usize,
    slots: u32,
) -> impl Strategy<Value = Program> {
    vec(operations(distribution, slots), 0..=ops).prop_map(|ops| Program { ops })
}

/// Single operations, of one thread.
pub fn operations(distribution: Distribution, slots: u32) -> BoxedStrategy<Op> {
    let slot = 0..slots.max(1);
    let of = move |op: fn(u32, usize) -> Op| {
        (slot.clone(), sizes(distribution)).prop_map(move |(slot, size)| op(slot, size)).boxed()
    };
    let malloc = of(|slot, size| Op::Malloc { slot, size });
    let calloc = of(|slot, size| Op::Calloc { slot, count: size % 4 + 1, size: size / 2 });
    let aligned =
        (of(|slot, size| Op::Malloc { slot, size }), 0..=16u32).prop_map(|(op, shift)| match op {
            Op::Malloc { slot, size } => Op::Aligned { slot, align: 1 << shift, size },
            other => other,
        });
    let realloc = of(|slot, size| Op::Realloc { slot, size });
    let free = of(|slot, _| Op::Free { slot });
    let free_sized = of(|slot, _| Op::FreeSized { slot });
    proptest::prop_oneof![
        8 => malloc,
        2 => calloc,
        2 => aligned,
        4 => realloc,
        6 => free,
        2 => free_sized,
        1 => Just(Op::Purge),
    ]
    .boxed()
}

/// Sizes of a distribution; they shrink towards 0 by proptest's own steps.
fn sizes(distribution: Distribution) -> impl Strategy<Value = usize> {
    let drawn = any::<u64>().prop_map(move |seed| distribution.size(&mut Rng::new(seed)));
    drawn.prop_flat_map(|size| 0..=size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Options, run};
    use crate::subject::Subject;
    use crate::toys::{Flaw, Toy};
    use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

    fn search(flaw: Flaw) -> Result<(), TestError<Program>> {
        let config = Config {
            cases: 200,
            failure_persistence: None,
            rng_seed: RngSeed::Fixed(1),
            ..Config::default()
        };
        let strategy = programs(Distribution::Mixed, 60, 8);
        TestRunner::new(config).run(&strategy, |program| {
            let toy = Toy::new(flaw);
            let subject = Subject::new(&toy).with_check(&toy);
            run(&subject, &program, &Options::default())?;
            Ok(())
        })
    }

    #[test]
    fn a_right_toy_passes() {
        search(Flaw::None).expect("the toy is right");
    }

    #[test]
    fn a_flaw_is_found_and_shrunk() {
        match search(Flaw::Misaligned) {
            Err(TestError::Fail(reason, program)) => {
                assert!(reason.to_string().contains("misaligned"), "{reason}");
                assert!(program.ops.len() <= 2, "{program}");
            }
            other => panic!("{other:?}"),
        }
    }
}
