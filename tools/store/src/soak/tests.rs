use super::*;
use crate::pages::ProgramPages;
use handle::zsmalloc::{Classes, Rule};
use handle::{XvMalloc, Zbud, ZsMalloc};

const STEPS: u64 = 200_000;

#[test]
fn zsmalloc_keeps_handles_and_bytes_while_it_is_compacted() {
    for (most, rule) in [(8, Rule::LeastWaste), (4, Rule::MostPercent)] {
        let mut heap = ZsMalloc::new(ProgramPages, Classes::new(rule, most));
        let report = run(&mut heap, STEPS, most as u64, compact_as_promised).unwrap();
        assert!(report.compactions > 100 && report.compacted > 0, "{report:?}");
        heap.into_pages();
    }
}

#[test]
fn xvmalloc_and_zbud_keep_handles_and_bytes() {
    let mut heap = XvMalloc::new(ProgramPages);
    run(&mut heap, STEPS, 1, |_, _| 0).unwrap();
    heap.into_pages();
    let mut heap = Zbud::new(ProgramPages);
    run(&mut heap, STEPS, 1, |_, _| 0).unwrap();
    heap.into_pages();
}
