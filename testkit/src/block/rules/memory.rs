//! Rules about memory: added, refused, removed, several pieces of it.
use core::alloc::Layout;
use core::ptr;

use base::{AddError, RemoveError};

use crate::block::any::AnyKind;
use crate::block::heap::Heap;
use crate::block::memory::Memory;

/// How far a memory's start is from a multiple of 4096.
const OFFSETS: [usize; 9] = [0, 1, 7, 8, 15, 16, 40, 63, 4095];

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("it exists")
}

pub(super) fn add_errors(kind: AnyKind<'_>) -> Result<(), String> {
    let mut allocator = kind.make.make();
    let mut refuses = |start: *mut u8, len: usize, wanted: AddError| {
        // SAFETY: memory that is refused is not touched; the next lines of the rule see to it.
        let added = unsafe { allocator.blocks().add_memory(start, len) };
        match added {
            Err(error) if error == wanted => Ok(()),
            other => Err(format!("add_memory({start:p}, {len:#x}) is {other:?}, not {wanted:?}")),
        }
    };
    refuses(ptr::null_mut(), 1 << 20, AddError::Null)?;
    refuses(ptr::null_mut(), 0, AddError::Null)?;
    let top = ptr::without_provenance_mut::<u8>(usize::MAX - 4095);
    refuses(top, 1 << 20, AddError::Wraps)?;
    refuses(top.wrapping_add(4095), 2, AddError::Wraps)?;
    let memory = Memory::new(kind.enough, 0);
    let start = memory.start();
    refuses(start, usize::MAX, AddError::Wraps)?;
    for len in [0, 1, 7, 8] {
        refuses(start, len, AddError::TooSmall)?;
        refuses(start.wrapping_add(1), len, AddError::TooSmall)?;
    }
    memory.check()?;
    // What it has already, part of it, and more than it.
    let len = kind.enough;
    let big = Memory::new(3 * len, 0);
    let middle = big.start().wrapping_add(len);
    // SAFETY: the memory is its own and outlives the allocator's last use.
    let added = unsafe { allocator.blocks().add_memory(middle, len) };
    added.map_err(|error| format!("{len} bytes were not taken: {error}"))?;
    let mut refuses = |start: *mut u8, len: usize| {
        // SAFETY: as above.
        match unsafe { allocator.blocks().add_memory(start, len) } {
            Err(AddError::Overlaps) => Ok(()),
            other => {
                Err(format!("add_memory({start:p}, {len:#x}) is {other:?}, though it overlaps"))
            }
        }
    };
    refuses(middle, len)?;
    refuses(big.start(), len + 64)?;
    refuses(big.start(), 3 * len)?;
    refuses(middle.wrapping_add(len / 2), len)?;
    refuses(middle.wrapping_add(len / 4), len / 2)?;
    if let Some(check) = kind.check {
        check(&*allocator).map_err(|broken| format!("after the refusals: {broken}"))?;
    }
    Ok(())
}

pub(super) fn add_sizes(kind: AnyKind<'_>) -> Result<(), String> {
    for offset in OFFSETS {
        let mut least = None;
        // By single bytes to 2 KiB; for designs that want pages, coarsely up to what is enough.
        let coarse = (2048..kind.enough).step_by(509);
        for len in (0..2048).chain(coarse).chain([kind.enough]) {
            let mut heap = Heap::of(kind);
            let said = |what: String| format!("{len} bytes at offset {offset}: {what}");
            match heap.add(Memory::new(len, offset)).map_err(said)? {
                Err(AddError::TooSmall) if least.is_none() => continue,
                Err(error) => return Err(said(format!("{error}; the least taken: {least:?}"))),
                Ok(()) => {}
            }
            least = least.or(Some(len));
            if len > least.unwrap_or(0) + 300 && len < 2048 {
                continue;
            }
            serves(&mut heap).map_err(said)?;
        }
        if least.is_none() {
            return Err(format!("{} bytes at offset {offset} are not enough", kind.enough));
        }
    }
    Ok(())
}

/// One block of the least, then as many as there is room for, twice.
fn serves(heap: &mut Heap<'_>) -> Result<(), String> {
    for size in [1, 24] {
        let mut blocks = 0;
        while heap.allocate(layout(size, 1), false)?.is_some() {
            blocks += 1;
            if blocks == 40 {
                break;
            }
        }
        if size == 1 && blocks == 0 {
            return Err(format!("it was taken and serves no byte: {}", heap.shape()));
        }
        heap.drain()?;
    }
    Ok(())
}

pub(super) fn remove(kind: AnyKind<'_>) -> Result<(), String> {
    let mut heap = Heap::of(kind);
    for _ in 0..3 {
        heap.add(Memory::new(kind.enough, 8))?.map_err(|error| error.to_string())?;
    }
    if kind.remove.is_none() {
        return Ok(());
    }
    let remove = kind.remove.expect("just asked");
    let unknown = heap.memories()[0].start().wrapping_add(64);
    for start in [unknown, ptr::null_mut()] {
        match remove(heap.allocator(), start) {
            Err(RemoveError::Unknown) => {}
            other => return Err(format!("remove_memory({start:p}) is {other:?}, not Unknown")),
        }
    }
    // Fill all three; then each is in use until its last block is freed.
    while heap.allocate(layout(kind.enough / 16, 8), false)?.is_some() {}
    while !heap.memories().is_empty() {
        let (start, len) = (heap.memories()[0].start().addr(), heap.memories()[0].len());
        let inside: Vec<usize> = heap.shadow().blocks().map(|block| block.address()).collect();
        for address in inside.into_iter().filter(|at| (start..start + len).contains(at)) {
            match heap.remove(0)? {
                Some(Err(RemoveError::InUse)) => {}
                other => return Err(format!("memory in use: remove_memory is {other:?}")),
            }
            heap.free(address, true)?;
        }
        match heap.remove(0)? {
            Some(Ok(())) => {}
            other => return Err(format!("free memory: remove_memory is {other:?}")),
        }
    }
    if heap.allocate(layout(1, 1), false)?.is_some() {
        return Err("a block without memory".to_owned());
    }
    heap.add(Memory::new(kind.enough, 0))?.map_err(|error| format!("added again: {error}"))?;
    match heap.allocate(layout(1, 1), false)? {
        Some(_) => heap.drain(),
        None => Err("no block after memory was removed and added".to_owned()),
    }
}

pub(super) fn regions(kind: AnyKind<'_>) -> Result<(), String> {
    let mut heap = Heap::of(kind);
    let one = Layout::from_size_align(48, 16).expect("it exists");
    if heap.allocate(one, false)?.is_some() {
        return Err("a block without memory".to_owned());
    }
    let mut fits = Vec::new();
    for (i, offset) in [0, 24, 4095, 8, 64].into_iter().enumerate() {
        let len = kind.enough + i * 1000;
        heap.add(Memory::new(len, offset))?.map_err(|error| format!("memory {i}: {error}"))?;
        let mut blocks = Vec::new();
        while let Some(block) = heap.allocate(layout(kind.enough / 24, 16), false)? {
            blocks.push(block);
        }
        fits.push(blocks.len());
        // Every third stays, so that the next memory comes to a heap in use.
        for (j, block) in blocks.into_iter().enumerate() {
            if j % 3 != 0 {
                heap.free(block, j % 2 == 0)?;
            }
        }
    }
    if fits.contains(&0) {
        return Err(format!("a memory served nothing: {fits:?} blocks after each"));
    }
    heap.drain()
}
