use super::*;

#[test]
fn a_seed_is_a_program() {
    let by = Generator::default();
    assert_eq!(by.program(1), by.program(1));
    assert_ne!(by.program(1), by.program(2));
    assert_eq!(by.program(1).ops.len(), by.ops);
}

#[test]
fn names_read_back() {
    for distribution in Distribution::ALL {
        assert_eq!(distribution.name().parse(), Ok(distribution));
    }
    assert!("tiny".parse::<Distribution>().unwrap_err().contains("small edges"));
}

#[test]
fn every_kind_of_operation_appears() {
    let by =
        Generator { ops: 20_000, threads: 3, exchange: true, forks: true, ..Generator::default() };
    let text = by.program(3).to_string();
    let names = "malloc|calloc|aligned|realloc|free |free_sized|send|receive|on|exit|purge|check|verify|fork";
    for name in names.split('|') {
        assert!(text.contains(&format!("\n{name}")), "{name}");
    }
}

#[test]
fn the_budget_holds_for_one_thread_without_hand_overs() {
    for distribution in Distribution::ALL {
        let by = Generator { distribution, ops: 5000, budget: 8 << 20, ..Generator::default() };
        let mut sizes = vec![0; by.slots];
        for op in by.program(5).ops {
            let (slot, size) = match op {
                Op::Malloc { slot, size } | Op::Aligned { slot, size, .. } => (slot, size),
                Op::Realloc { slot, size } => (slot, size),
                Op::Calloc { slot, count, size } => (slot, count.saturating_mul(size)),
                Op::Free { slot } | Op::FreeSized { slot } => (slot, 0),
                _ => continue,
            };
            if size <= isize::MAX as usize {
                sizes[slot as usize] = size;
            }
            let held: usize = sizes.iter().sum();
            assert!(held <= by.budget + 64 * by.slots, "{distribution}: {held}");
        }
    }
}
