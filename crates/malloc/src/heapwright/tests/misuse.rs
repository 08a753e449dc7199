//! What `check` says of a program that frees what it must not, before the magazine is flushed.
use super::*;

fn invariant(heap: &Flagship<Failing<Os>, SoloTls>) -> (&'static str, usize) {
    let broken = heap.check().expect_err("broken");
    (broken.invariant, broken.at)
}

#[test]
fn a_double_free_in_a_magazine_is_seen() {
    for sizes in [(40, 40), (128, 72)] {
        let heap = flagship();
        let ptr = heap.malloc(sizes.0);
        heap.check().expect("intact");
        // SAFETY: the second is the misuse that is to be found; nothing is written.
        [sizes.0, sizes.1].into_iter().for_each(|size| unsafe { heap.free_sized(ptr, size) });
        let words = "inspect-A5: what was freed was freed once (double free)";
        assert_eq!(invariant(&heap), (words, ptr.addr()));
    }
}

#[test]
fn an_address_inside_an_object_is_seen() {
    let heap = flagship();
    let ptr = heap.malloc(100);
    let inside = ptr.wrapping_add(32);
    // SAFETY: the misuse that is to be found; nothing is written.
    unsafe { heap.free(inside) };
    assert_eq!(
        invariant(&heap),
        ("inspect-A5: what was freed is an object's start", inside.addr())
    );
}

#[test]
fn a_sized_free_of_what_is_not_ours_is_seen() {
    let heap = flagship();
    // SAFETY: a live block of that size. There is room in its magazine then.
    unsafe { heap.free_sized(heap.malloc(100), 100) };
    let mut foreign = [0u8; 100];
    let at = foreign.as_mut_ptr();
    // SAFETY: the misuse that is to be found; nothing is written.
    unsafe { heap.free_sized(at, 100) };
    assert_eq!(invariant(&heap), ("inspect-A5: what was freed is ours", at.addr()));
}

#[test]
fn an_object_that_went_back_and_is_freed_again_is_seen() {
    let heap = flagship();
    let ptr = heap.malloc(100);
    // SAFETY: a live block.
    unsafe { heap.free(ptr) };
    heap.empty_magazines("test");
    let other = heap.malloc(3000);
    // SAFETY: the misuse that is to be found; nothing is written.
    unsafe { heap.free(ptr) };
    let words = "inspect-A5: what was freed was not free already (double free)";
    assert_eq!(invariant(&heap), (words, ptr.addr()));
    assert!(!other.is_null());
}

#[test]
fn a_block_of_a_heap_freed_by_its_size_is_seen() {
    let whole = flagship();
    // SAFETY: a live block of that size. There is room in its magazine then.
    unsafe { whole.free_sized(whole.malloc(100), 100) };
    let heap = whole.heap_new().expect("memory");
    let ptr = whole.heap_allocate(heap, 16, 100);
    // SAFETY: the misuse that is to be found; nothing is written.
    unsafe { whole.free_sized(ptr, 100) };
    let words = "inspect-A5: what was freed by its size is of no heap of its own";
    assert_eq!(invariant(&whole), (words, ptr.addr()));
}
