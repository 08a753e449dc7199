use super::*;
use crate::generate::Generator;
use crate::rng::Rng;

#[test]
fn what_matters_stays_and_nothing_else() {
    let mut program = Generator { ops: 500, ..Generator::default() }.program(1);
    program.ops.insert(137, Op::Calloc { slot: 77, count: 4, size: 5000 });
    program.ops.insert(391, Op::FreeSized { slot: 77 });
    let fails = |program: &Program| {
        let big = |op: &Op| match *op {
            Op::Malloc { size, .. } => size >= 100,
            Op::Calloc { count, size, .. } => count.saturating_mul(size) >= 100,
            _ => false,
        };
        let from = program.ops.iter().position(big);
        let freed = |op: &Op| matches!(op, Op::Free { .. } | Op::FreeSized { .. });
        from.is_some_and(|from| program.ops[from..].iter().any(freed))
    };
    let small = shrink(&program, 10_000, fails);
    assert_eq!(small.to_string(), "malloc 0 100\nfree 0\n".replace("free 0", &last(&small)));
    assert_eq!(small.ops.len(), 2);
}

fn last(program: &Program) -> String {
    program.ops.last().expect("it is not empty").to_string()
}

#[test]
fn the_number_of_tries_is_bounded() {
    let program = Generator { ops: 500, ..Generator::default() }.program(1);
    let mut tries = 0;
    shrink(&program, 40, |_| {
        tries += 1;
        false
    });
    assert_eq!(tries, 40);
}

#[test]
fn simpler_operations_end() {
    let by = Generator { ops: 3000, ..Generator::default() };
    let mut rng = Rng::new(1);
    for mut op in by.program(9).ops {
        let mut steps = 0;
        while let Some(simpler) = Some(simpler(op)).filter(|ops| !ops.is_empty()) {
            op = rng.pick(&simpler);
            steps += 1;
            assert!(steps < 1000, "{op}");
        }
    }
}
