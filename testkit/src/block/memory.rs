//! `Memory`: a piece of memory for an allocator, with guards on both sides.
//!
//! ```text
//! │ guard 0xA5… │ start, at the chosen offset from 4096 …… len bytes, dirty │ guard 0xA5… │
//! ```
use core::alloc::Layout;
use std::alloc::{alloc_zeroed, dealloc, handle_alloc_error};

const GUARD: usize = 128;
const MARK: u8 = 0xA5;
const DIRT: u8 = 0xDB;
const ALIGN: usize = 4096;

#[derive(Debug)]
pub struct Memory {
    whole: *mut u8,
    layout: Layout,
    start: *mut u8,
    len: usize,
}

// SAFETY: it is the only account of its bytes.
unsafe impl Send for Memory {}

// SAFETY: shared, it says where it is and reads its guards, which nobody may write.
unsafe impl Sync for Memory {}

impl Memory {
    /// `len` bytes that begin `offset` bytes after a multiple of 4096, none of them zero.
    pub fn new(len: usize, offset: usize) -> Memory {
        let memory = Memory::untouched(len, offset);
        memory.guard(memory.start, DIRT, len);
        memory
    }

    /// As [`new`](Self::new), but the system has not been asked for a page of it yet, and what
    /// it gives will be zero.
    pub fn untouched(len: usize, offset: usize) -> Memory {
        let front = GUARD.next_multiple_of(ALIGN) + offset;
        let layout = Layout::from_size_align(front + len + GUARD, ALIGN).expect("it exists");
        // SAFETY: the layout has bytes.
        let whole = unsafe { alloc_zeroed(layout) };
        if whole.is_null() {
            handle_alloc_error(layout);
        }
        // SAFETY: the front is part of the layout.
        let start = unsafe { whole.add(front) };
        let memory = Memory { whole, layout, start, len };
        memory.guard(start.wrapping_sub(GUARD), MARK, GUARD);
        memory.guard(start.wrapping_add(len), MARK, GUARD);
        memory
    }

    fn guard(&self, at: *mut u8, byte: u8, len: usize) {
        // SAFETY: within the whole.
        unsafe { at.write_bytes(byte, len) };
    }

    pub fn start(&self) -> *mut u8 {
        self.start
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether `[at, at + len)` lies within it.
    pub fn holds(&self, at: usize, len: usize) -> bool {
        let start = self.start.addr();
        at >= start && at.checked_add(len).is_some_and(|end| end <= start + self.len)
    }

    /// Whether nobody wrote outside.
    /// Errors: the first byte that was.
    pub fn check(&self) -> Result<(), String> {
        for at in [self.start.wrapping_sub(GUARD), self.start.wrapping_add(self.len)] {
            // SAFETY: a guard is within the whole, and was written.
            let bytes = unsafe { core::slice::from_raw_parts(at, GUARD) };
            // After each call of every program: all at once, and one by one only where one differs.
            if bytes != [MARK; GUARD]
                && let Some(i) = bytes.iter().position(|&byte| byte != MARK)
            {
                let (start, len) = (self.start, self.len);
                let at = at.wrapping_add(i);
                return Err(format!("{at:p} was written, outside the memory {start:p} + {len}"));
            }
        }
        Ok(())
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout.
        unsafe { dealloc(self.whole, self.layout) };
    }
}
