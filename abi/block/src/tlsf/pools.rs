//! Memory added and given up. Every way in asks for tlsf-C2, the core for tlsf-C1.

use core::ffi::{c_int, c_void};
use core::ptr;

use base::{AddError, AddMemory, RemoveMemory};

use super::{Handle, Placed, WORD, open};
use crate::call;
use crate::error;
use crate::records::{self, CBroken, Visit};

impl Handle {
    /// Whether `[start, start + len)` may be a pool, as far as tlsf-C2 says; the core asks for tlsf-C1.
    fn allows(&self, start: *const u8, len: usize) -> Result<(), AddError> {
        call::addable(start, len, ptr::from_ref(self).cast(), self.len())
    }
}

/// Its bytes as they are now, if there is such a pool.
fn pool_len(tlsf: &mut Placed, pool: *mut u8) -> Option<usize> {
    // To as many bytes as there can be: it stays as it is.
    tlsf.truncate_memory(pool, usize::MAX).ok()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_add_pool(
    heap: *mut Handle,
    memory: *mut u8,
    bytes: usize,
) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(mut tlsf) = (unsafe { open(heap) }) else { return error::NULL };
    // SAFETY: it is not null.
    let allowed = unsafe { (*heap).allows(memory, bytes) };
    // SAFETY: the caller gives the memory.
    error::added(allowed.and_then(|()| unsafe { tlsf.add_memory(memory, bytes) }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_remove_pool(heap: *mut Handle, pool: *mut u8) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(mut tlsf) = (unsafe { open(heap) }) else { return error::NULL };
    error::removed(tlsf.remove_memory(pool))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_get_pool(heap: *const Handle) -> *mut u8 {
    // SAFETY: what the header asks of the caller.
    let Some(handle) = (unsafe { heap.as_ref() }) else { return ptr::null_mut() };
    // The pool is in the same memory as the handle.
    heap.cast_mut().cast::<u8>().wrapping_add(handle.len())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_pool_size(heap: *mut Handle, pool: *mut u8) -> usize {
    // SAFETY: what the header asks of the caller.
    unsafe { open(heap) }.and_then(|mut tlsf| pool_len(&mut tlsf, pool)).unwrap_or(0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_extend_pool(
    heap: *mut Handle,
    pool: *mut u8,
    bytes: usize,
) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(mut tlsf) = (unsafe { open(heap) }) else { return error::NULL };
    if pool_len(&mut tlsf, pool).is_none() {
        return error::UNKNOWN;
    }
    // SAFETY: it is not null.
    let allowed = unsafe { (*heap).allows(pool, bytes) };
    // SAFETY: the caller gives the memory.
    error::added(allowed.and_then(|()| unsafe { tlsf.extend_memory(pool, bytes) }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_append_pool(
    heap: *mut Handle,
    memory: *mut u8,
    bytes: usize,
) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(mut tlsf) = (unsafe { open(heap) }) else { return error::NULL };
    // SAFETY: it is not null.
    let allowed = unsafe { (*heap).allows(memory, bytes) };
    // SAFETY: the caller gives the memory, in one allocation with what is below it.
    error::added(allowed.and_then(|()| unsafe { tlsf.append_memory(memory, bytes) }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_truncate_pool(
    heap: *mut Handle,
    pool: *mut u8,
    bytes: usize,
) -> usize {
    // SAFETY: what the header asks of the caller.
    unsafe { open(heap) }.and_then(|mut tlsf| tlsf.truncate_memory(pool, bytes).ok()).unwrap_or(0)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_walk_pool(
    heap: *mut Handle,
    pool: *mut u8,
    visit: Option<Visit>,
    user: *mut c_void,
) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(mut tlsf) = (unsafe { open(heap) }) else { return error::NULL };
    let Some(len) = pool_len(&mut tlsf, pool) else { return error::UNKNOWN };
    // SAFETY: as above.
    unsafe { records::walk(&tlsf, (pool.addr(), len), WORD, visit, user) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn heapwright_tlsf_check_pool(
    heap: *mut Handle,
    pool: *mut u8,
    out: *mut CBroken,
) -> c_int {
    // SAFETY: what the header asks of the caller.
    let Some(mut tlsf) = (unsafe { open(heap) }) else { return error::NULL };
    if pool_len(&mut tlsf, pool).is_none() {
        return error::UNKNOWN;
    }
    // SAFETY: as above.
    unsafe { records::check(&tlsf, out) }
}
