//! What a signal handler gets that interrupted malloc.
//!
//! ```text
//! malloc   fast: as ever, from a magazine     slow: a spare block
//! free     fast: as ever, to a magazine       slow: the block stays taken for ever; what is none ends the process
//! the rest nothing, or a line that says so
//! ```
//!
//! - **interrupted-W1** a thread that is busy ([`Park::is_busy`](base::lock::Park::is_busy)) at the beginning of a slow call waits for no
//!   lock, and changes no structure but magazines: each of these is asked for there.
//!
//! C allows no malloc in such a handler, but programs call `exit` in one, and their exit handlers and the C library free and
//! allocate. What glibc does with one thread, to go on over a heap that is half changed, can end in anything.
use core::ptr;

use object::Fault;
use object::size_class::info;
use page::System;
use page::region::Span;
use thread::Tls;

use super::Flagship;

impl<S: System, T: Tls> Flagship<S, T> {
    /// A block of no heap. Null: out of memory.
    #[cold]
    pub(super) fn spare_block(&self, size: usize, align: usize) -> *mut u8 {
        let block = self.spare.allocate(&self.pages.source, size, align).unwrap_or(0);
        ptr::with_exposed_provenance_mut(block)
    }

    /// As an object of a class: freed by its size it comes into a magazine, and serves again as one.
    #[cold]
    pub(super) fn spare_object(&self, class: usize) -> *mut u8 {
        let size = info(class).size as usize;
        self.spare_block(size, 1 << size.trailing_zeros())
    }

    /// The block stays taken. What is surely none ends the process.
    #[cold]
    pub(super) fn free_later(&self, address: usize, caller: &'static str) {
        if self.spare.free(address) {
            return;
        }
        let region = &self.pages.region;
        let span = match region.granule_of(address) {
            Some(granule) if region.class(granule) != 0 => return,
            Some(granule) => (region.address_of(granule), region.span(granule)),
            None => (0, Span::None),
        };
        match span {
            (at, Span::Run(_)) if at == address => (),
            (at, Span::Kept(_)) if at == address => {
                self.end_process_on_fault(caller, Err(Fault::DoubleFree(address)));
            }
            (_, Span::Slab(_)) => (),
            _ if self.huge.try_len_of(address) == Some(None) => self.foreign(caller, address),
            _ => (),
        }
    }

    /// The same block if it is large enough, else a copy; null if nobody knows how large it is.
    #[cold]
    pub(super) fn resize_in_handler(
        &self,
        ptr: *mut u8,
        size: usize,
        caller: &'static str,
    ) -> *mut u8 {
        match self.size_of_block(ptr.addr()) {
            Some(held) if size <= held => ptr,
            Some(held) => self.copy_to_new(ptr, held, size, caller),
            None => ptr::null_mut(),
        }
    }

    /// The length of the mapping of its own, or of the spare block, at `address`. `None`: there is none, or the table of
    /// mappings is what was interrupted.
    pub(super) fn len_of_mapping(&self, address: usize) -> Option<usize> {
        let spare = self.spare.len_of(address);
        let mapping = || match S::is_busy() {
            true => self.huge.try_len_of(address).flatten(),
            false => self.huge.len_of(address),
        };
        spare.or_else(mapping)
    }
}
