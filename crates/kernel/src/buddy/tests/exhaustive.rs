//! Every program of six operations on eight units.
use super::*;

/// What the eight units should look like: each unit's block, 0 for none.
type Model = [u8; 8];

/// Whether a block of 2^order units could be made: an aligned run of free units.
fn possible(model: &Model, order: usize) -> bool {
    model.chunks_exact(1 << order).any(|run| run.iter().all(|unit| *unit == 0))
}

/// The free runs as the buddy system must show them: as large as alignment allows.
fn expected(model: &Model) -> Vec<(usize, usize)> {
    let mut blocks = Vec::new();
    let mut at = 0;
    while at < 8 {
        if model[at] != 0 {
            at += 1;
            continue;
        }
        let fits = |order: &usize| {
            at % (1 << order) == 0 && model[at..at + (1 << order)].iter().all(|unit| *unit == 0)
        };
        let order = (0..=3).rev().find(fits).unwrap();
        blocks.push((at, 1 << order));
        at += 1 << order;
    }
    blocks
}

#[test]
fn every_program_of_six_operations() {
    let memory = Memory::new(9 * 64, 8 * 64, 7 * 64);
    let first = memory.start().addr() + 64;
    let mut programs = 0;
    // Operations 0..4 take a block of that order, 4..7 give the first, middle or last one back.
    for program in 0..7u32.pow(6) {
        let mut buddy = over::<64>(&memory);
        let mut model: Model = [0; 8];
        let mut live: Vec<(NonNull<u8>, usize, u8)> = Vec::new();
        let mut rest = program;
        for step in 1..=6u8 {
            let operation = (rest % 7) as usize;
            rest /= 7;
            if operation < 4 {
                let layout = layout(64 << operation, 1);
                let got = buddy.allocate(layout);
                assert_eq!(got.is_some(), possible(&model, operation), "{program} {step}");
                if let Some(block) = got {
                    let at = (block.addr().get() - first) / 64;
                    for unit in &mut model[at..at + (1 << operation)] {
                        assert_eq!(*unit, 0, "{program} {step}");
                        *unit = step;
                    }
                    live.push((block, operation, step));
                }
            } else if !live.is_empty() {
                let index = [0, live.len() / 2, live.len() - 1][operation - 4];
                let (block, order, id) = live.remove(index);
                // SAFETY: live, and forgotten.
                unsafe { buddy.deallocate(block, layout(64 << order, 1)) };
                for unit in model.iter_mut().filter(|unit| **unit == id) {
                    *unit = 0;
                }
            }
        }
        buddy.check().unwrap();
        let free: Vec<_> = pieces(&buddy)
            .iter()
            .filter(|piece| !piece.used)
            .map(|piece| ((piece.at - first) / 64, piece.len / 64))
            .collect();
        assert_eq!(free, expected(&model), "{program}");
        programs += 1;
    }
    assert_eq!(programs, 117_649);
}
