//! `Growing`: TLSF's arena form, as an allocator that is given memory like any other.
//!
//! The memory added is the limit: the arena takes it from the bottom in steps of a page, and
//! gives its end back.
use ::block::tlsf::{Arena, Tail, Tlsf};
use base::{AddError, AddMemory};

/// The memory that was added, whose end is moved.
#[derive(Debug)]
pub struct Given {
    start: *mut u8,
    len: usize,
    step: usize,
}

// SAFETY: the memory it was given is its own.
unsafe impl Send for Given {}

// SAFETY: the bytes up to the limit are the arena's for as long as it lives.
unsafe impl Tail for Given {
    fn base(&self) -> *mut u8 {
        self.start
    }

    fn step(&self) -> usize {
        self.step
    }

    fn resize(&mut self, len: usize) -> bool {
        len <= self.len
    }
}

impl AddMemory for Given {
    unsafe fn add_memory(&mut self, start: *mut u8, len: usize) -> Result<(), AddError> {
        if self.len > 0 {
            return Err(AddError::Full);
        }
        (self.start, self.len) = (start, len);
        Ok(())
    }
}

pub type Growing = Arena<Tlsf, Given>;

/// Without memory; its end will move by `step` bytes, a power of two, at a time.
pub fn growing(step: usize) -> Growing {
    Arena::new(Tlsf::new(), Given { start: core::ptr::null_mut(), len: 0, step })
}
