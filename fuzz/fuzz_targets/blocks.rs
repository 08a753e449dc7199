//! Any bytes, read as a program, on a block allocator; the first byte says on which, the second
//! how much memory it has.
//!
//! Everything is looked at around each operation. A failure prints the program.
#![no_main]
use base::{AddMemory, BlockAllocator};
use libfuzzer_sys::fuzz_target;
use testkit::Program;
use testkit::block::kinds::{self, Visit};
use testkit::block::{Kind, rules::program};

struct Pick<'a> {
    left: usize,
    len: usize,
    program: &'a Program,
}

impl Visit for Pick<'_> {
    fn visit<A: BlockAllocator + AddMemory + Send + 'static>(&mut self, kind: Kind<A>) {
        if self.left == 0
            && let Err(said) = program::run(&kind, kind.enough + self.len, self.program)
        {
            panic!("{} with {} bytes: {said}\n{}", kind.name, kind.enough + self.len, self.program);
        }
        self.left = self.left.wrapping_sub(1);
    }
}

fuzz_target!(|data: &[u8]| {
    let [which, len, rest @ ..] = data else { return };
    let program = Program::from_bytes(rest, 16, 64 << 10);
    let len = usize::from(*len) * 257;
    kinds::each(&mut Pick { left: usize::from(*which) % kinds::COUNT, len, program: &program });
});
