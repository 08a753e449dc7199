use super::*;
use crate::compress::Lz4;
use handle::ZsMalloc;
use handle::zsmalloc::Classes;

#[test]
fn a_trial_frees_half_and_compacts_what_was_promised() {
    let mut random = Random::new(1);
    let pages: Vec<Page> = (0..3000)
        .map(|_| {
            let noisy = random.below(4000);
            core::array::from_fn(|at| if at < noisy { random.next().to_le_bytes()[0] } else { 7 })
        })
        .collect();
    let lz4 = || Either::Lz4(Lz4::new());
    let make = || {
        let heap = ZsMalloc::new(SourcePages::new(Os, 64 << 20), Classes::default());
        let raw_from = heap.classes().huge_from();
        Store::new(SourcePages::new(Os, 64 << 20), heap, lz4()).raw_from(raw_from)
    };
    let trial = run(&pages, 1, make, Store::compact, Some(lz4())).unwrap();
    assert_eq!(trial.loaded.report.original, 3000 * 4096);
    assert_eq!(trial.half.report.original, 1500 * 4096);
    let (before, after) = (trial.half.report, trial.compacted.report);
    assert_eq!((before.used - after.used, after.compacted), (trial.gone, trial.gone / 4096));
    assert!(trial.gone > 1 << 20, "{trial:?}");
    assert!(trial.gets.is_some());
}
