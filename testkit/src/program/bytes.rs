//! Programs out of any bytes, for fuzzers.
use super::{Op, Program};

const WIDTH: usize = 4;

impl Program {
    /// Every four bytes are an operation on one of `slots` slots: which and where, a shift, and
    /// sixteen bits of a size of at most `most` bytes. All bytes mean something, and a changed
    /// byte changes one operation. Bytes beyond the last four are not read.
    pub fn from_bytes(bytes: &[u8], slots: u32, most: usize) -> Program {
        let (groups, _) = bytes.as_chunks::<WIDTH>();
        Program { ops: groups.iter().map(|&group| op(group, slots.max(1), most)).collect() }
    }
}

fn op([kind, place, low, high]: [u8; WIDTH], slots: u32, most: usize) -> Op {
    let slot = u32::from(place & 0x1F) % slots;
    let number = usize::from(u16::from_le_bytes([low, high]));
    // Three bits of the place make the size coarse: bytes, or multiples of up to 16 KiB.
    let size = (number << (2 * (place >> 5))).min(most);
    match kind % 16 {
        0..5 => Op::Malloc { slot, size },
        5 => Op::Calloc { slot, count: 1, size },
        6 => Op::Calloc { slot, count: number, size: usize::from(kind) },
        7 => Op::Aligned { slot, align: 1 << (kind >> 4), size },
        8..11 => Op::Realloc { slot, size },
        11..13 => Op::Free { slot },
        13 => Op::FreeSized { slot },
        14 => Op::Realloc { slot, size: size / 16 },
        _ if place == u8::MAX => Op::Malloc { slot, size: usize::MAX - number },
        _ => Op::Purge,
    }
}
