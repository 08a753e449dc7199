//! The figures follow the program; alone in its process, so that nothing else changes them.

#[global_allocator]
static A: heapwright::Heapwright = heapwright::Heapwright;

#[test]
fn figures_follow_the_program() {
    let before = heapwright::stats().live_bytes;
    let block = vec![1u8; 20 << 20];
    assert!(heapwright::stats().live_bytes >= before + (19 << 20));
    drop(block);
    heapwright::purge();
    assert!(heapwright::stats().purged_bytes > 0);
}
