//! Which pages cost memory now.
//!
//! Layer *source*. One system call, `mincore`, which says for private pages what the page tables do.

use super::syscall::{call6, number, result};

const ENOMEM: i32 = 12;

/// What the kernel knows of a stretch of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Residency {
    /// The bytes say it, one for each page: the lowest bit is set where it is resident.
    Known,
    /// Not all of it is mapped.
    Unmapped,
    /// The system does not let us ask (a seccomp filter).
    Refused,
}

/// Asks for `pages.len()` pages from `at` on, a multiple of the page.
pub fn residency(at: usize, pages: &mut [u8], page: usize) -> Residency {
    let args = [at, pages.len() * page, pages.as_mut_ptr().expose_provenance(), 0, 0, 0];
    // SAFETY: the kernel writes a byte for each page into `pages`.
    match result(unsafe { call6(number::MINCORE, args) }) {
        Ok(_) => Residency::Known,
        Err(ENOMEM) => Residency::Unmapped,
        Err(_) => Residency::Refused,
    }
}
