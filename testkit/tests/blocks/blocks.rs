//! Every block allocator under the whole suite.
use base::{AddMemory, BlockAllocator};
use heapwright_testkit::block::kinds::Visit;
use heapwright_testkit::block::rules::{conformance_some, program};
use heapwright_testkit::block::{Kind, conformance, kinds};
use heapwright_testkit::{Distribution, Generator};

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

/// Longer programs than the suite's, in a memory with room for all of it and in one without.
struct Long;

impl Visit for Long {
    fn visit<A: BlockAllocator + AddMemory + Send + 'static>(&mut self, kind: Kind<A>) {
        let (name, len) = (kind.name, 1 << 20);
        let seeds = if std::env::var_os("HEAPWRIGHT_WHOLE").is_some() { 2 } else { 1 };
        for (budget, impossible) in [(len / 8, false), (len * 9 / 10, true)] {
            for distribution in Distribution::ALL {
                for seed in 0..seeds {
                    let by = Generator { distribution, budget, impossible, ..Generator::default() };
                    let program = Generator { ops: 1500, slots: 100, ..by }.program(seed);
                    let refused = program::run(&kind, len, &program)
                        .unwrap_or_else(|said| panic!("{name}, {distribution}, {seed}: {said}"));
                    assert!(impossible || refused == 0, "{name}, {distribution}, {seed}: refused");
                }
            }
        }
    }
}

#[test]
fn long_programs_run_and_where_there_is_room_nothing_is_refused() {
    kinds::each(&mut Long);
    Long.visit(kinds::tlsf_8());
    Long.visit(kinds::tlsf_64());
}

/// A geometry says what it cannot describe, and takes what it can.
#[test]
fn memory_beyond_a_geometry_is_refused_by_name() {
    use base::AddError;
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
