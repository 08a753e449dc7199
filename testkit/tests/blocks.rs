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

    #[test]
    fn tlsf_8() {
        conformance(&kinds::tlsf_8()).assert_passed();
    }

    #[test]
    fn tlsf_64() {
        conformance(&kinds::tlsf_64()).assert_passed();
    }

    #[test]
    fn tlsf_neighbours() {
        conformance(&kinds::tlsf_neighbours()).assert_passed();
    }

    #[test]
    fn tlsf_canaries() {
        conformance(&kinds::tlsf_canaries()).assert_passed();
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
