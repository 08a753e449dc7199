//! Every block allocator under the whole suite.
use heapwright_testkit::block::rules::conformance_some;
use heapwright_testkit::block::{conformance, kinds};

macro_rules! conforms {
    ($({ name: $name:literal, id: $id:ident, $($rest:tt)* })*) => {$(
        #[test]
        fn $id() {
            conformance(&kinds::$id()).assert_passed();
        }
    )*};
}

mod conforms {
    use super::*;

    registry::blocks!(conforms);

    conforms! {
        { name: "tlsf of a word", id: tlsf_word, }
        { name: "tlsf at 8", id: tlsf_8, }
        { name: "tlsf at 64", id: tlsf_64, }
        { name: "tlsf, neighbours", id: tlsf_neighbours, }
        { name: "tlsf, canaries", id: tlsf_canaries, }
    }
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
