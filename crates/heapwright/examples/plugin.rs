//! A plugin with an allocator of its own. A program may close it while threads live that have allocated there.
//!
//!     cargo build --example plugin
#[global_allocator]
static ALLOCATOR: heapwright::Heapwright = heapwright::Heapwright;

/// The sum of the numbers below `count`, from a block of the plugin's.
#[unsafe(no_mangle)]
pub extern "C" fn sum_below(count: usize) -> usize {
    let numbers: Vec<usize> = (0..count).collect();
    numbers.iter().sum()
}
