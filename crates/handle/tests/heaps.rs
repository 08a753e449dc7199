//! Heaps of handles in the whole: as dense as the kernel's, and right through long random programs.

#[path = "../examples/store/density.rs"]
mod density;
#[path = "../examples/store/random.rs"]
mod random;
#[path = "../examples/store/soak.rs"]
mod soak;

use heapwright_handle::zsmalloc::{Classes, Rule};
use heapwright_handle::{XvMalloc, Zbud, ZsMalloc};
use kernel::SourcePages;
use source::os::Os;

const STEPS: u64 = 200_000;

fn pages() -> SourcePages<Os> {
    SourcePages::new(Os, 1 << 30)
}

#[test]
fn densities_are_the_kernels() {
    // Where everything is tried, the mean of several runs.
    let seeds = if std::env::var_os("HEAPWRIGHT_WHOLE").is_some() { density::SEEDS } else { 2 };
    for (at, name) in density::HEAPS.into_iter().enumerate() {
        let (straight, compacted) = density::farthest(at, seeds).unwrap();
        assert!(straight <= 0.01, "{name}: {straight:.4}");
        assert!(compacted <= 0.01, "{name}, compacted: {compacted:.4}");
    }
}

#[test]
fn zsmalloc_keeps_handles_and_bytes_while_it_is_compacted() {
    for most in [1, 4, 8, 16] {
        for rule in [Rule::LeastWaste, Rule::MostPercent] {
            let mut heap = ZsMalloc::new(pages(), Classes::new(rule, most));
            let (steps, compact) = (STEPS / 4, soak::compact_as_promised);
            let (compactions, bytes) = soak::run(&mut heap, steps, most as u64, compact).unwrap();
            assert!(compactions > 25 && bytes > 0, "{compactions}: {bytes}");
        }
    }
}

#[test]
fn xvmalloc_and_zbud_keep_handles_and_bytes() {
    soak::run(&mut XvMalloc::new(pages()), STEPS, 1, |_, _| 0).unwrap();
    soak::run(&mut Zbud::new(pages()), STEPS, 1, |_, _| 0).unwrap();
}
