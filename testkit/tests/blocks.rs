//! Every block allocator under the whole suite.
use heapwright_testkit::block::rules::conformance_some;
use heapwright_testkit::block::{conformance, kinds};

macro_rules! conforms {
    ($($name:ident: $kind:expr;)*) => {$(
        #[test]
        fn $name() {
            conformance(&$kind).assert_passed();
        }
    )*};
}

conforms! {
    tlsf_conforms: kinds::tlsf();
    tlsf_8_conforms: kinds::tlsf_8();
    tlsf_64_conforms: kinds::tlsf_64();
    tlsf_neighbours_conforms: kinds::tlsf_neighbours();
    tlsf_canaries_conforms: kinds::tlsf_canaries();
    half_fit_conforms: kinds::half_fit();
    first_fit_conforms: kinds::first_fit();
    next_fit_conforms: kinds::next_fit();
    best_fit_conforms: kinds::best_fit();
    worst_fit_conforms: kinds::worst_fit();
    buddy_conforms: kinds::buddy();
    slab_conforms: kinds::slab();
}

/// The rules about memory that is added, and about how much there is of it, are not an arena's.
#[test]
fn the_arena_conforms() {
    let others = ["add-errors", "add-sizes", "remove", "regions", "largest", "counts", "reset"];
    conformance_some(&kinds::arena(), |name| !others.contains(&name)).assert_passed();
}

/// A geometry says what it cannot describe, and takes what it can.
#[test]
fn memory_beyond_a_geometry_is_refused_by_name() {
    use base::{AddError, AddMemory};
    use block::tlsf::Tlsf;

    let memory = heapwright_testkit::block::Memory::untouched(8 << 20, 0);
    let mut heap = Tlsf::<1, 4>::new();
    // SAFETY: the memory outlives the heap.
    let whole = unsafe { heap.add_memory(memory.start(), memory.len()) };
    assert_eq!(whole, Err(AddError::TooLarge));
    // SAFETY: as above.
    let part = unsafe { heap.add_memory(memory.start(), 1 << 20) };
    assert_eq!(part, Ok(()));
}
