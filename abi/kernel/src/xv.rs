//! `xv_*`: a pool is an xvmalloc behind a lock, and what its pages are called.
//!
//! ```text
//! pool    │ member │ lock │ xvmalloc │ rows │      in pages of its own
//! page    struct page * is a row of the pool's, of the same number as the page in the xvmalloc
//! ```
//!
//! - **xv-V1** a row names its page's address while an object of that page is live.
use core::ffi::c_int;
use core::fmt;
use core::ptr::{self, NonNull};

use base::bits::low32;
use base::lock::Lock;
use base::{Broken, Check, HandleAllocator, HandleError};
use handle::XvMalloc;
use handle::xvmalloc::{Handle, len_at};
use source::os::Os;

use crate::error::number;
use crate::flags::{self, Flags};
use crate::fork::{self, Member};
use crate::guarded::Guarded;
use crate::life::{self, Live, open};
use crate::misuse::{self, InUse};
use crate::pages::Pages;
use crate::rows::{Kind, Row, Rows};

/// `struct xv_pool`.
#[repr(C)]
pub(crate) struct Pool {
    member: Member,
    inside: Guarded<Inside>,
}

struct Inside {
    heap: XvMalloc<Pages>,
    rows: Rows,
}

impl Live for Pool {
    const KIND: life::Kind = life::Kind::Xv;

    fn member(&self) -> &Member {
        &self.member
    }
}

impl fork::Pool for Pool {
    fn lock(&self) -> &Lock<Os> {
        self.inside.bare()
    }

    fn check(&self) -> Result<(), Broken> {
        self.inside.lock().heap.check()
    }

    fn write_name(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an xvmalloc pool")
    }
}

impl Inside {
    fn allocate(&mut self, size: usize) -> Result<(NonNull<Row>, u32), HandleError> {
        let handle = self.heap.allocate(size)?;
        let page = self.heap.bytes(handle)?.as_ptr().wrapping_sub(handle.offset());
        let Some(row) = self.rows.at(handle.page()) else {
            self.heap.free(handle)?;
            return Err(HandleError::NoMemory);
        };
        // SAFETY: a row of ours stays.
        unsafe { row.as_ref() }.set(Kind::Xv, page.cast_mut(), handle.page());
        Ok((row, low32(handle.offset())))
    }

    fn find(&self, page: *const Row, offset: u32) -> Result<Handle, HandleError> {
        let row = self.rows.find(page).ok_or(HandleError::Unknown)?;
        self.heap.handle_at(row.number(), offset as usize)
    }

    fn free(&mut self, page: *const Row, offset: u32) -> Result<(), HandleError> {
        let handle = self.find(page, offset)?;
        let before = self.heap.usage().pages;
        self.heap.free(handle)?;
        if let Some(row) = self.rows.find(page).filter(|_| self.heap.usage().pages < before) {
            row.clear();
        }
        Ok(())
    }
}

#[unsafe(no_mangle)]
extern "C" fn xv_create_pool() -> *mut Pool {
    let Some(at) = fork::room::<Pool>() else { return ptr::null_mut() };
    let inside = Inside { heap: XvMalloc::new(Pages), rows: Rows::new() };
    let pool = Pool { member: Member::new(life::Kind::Xv), inside: Guarded::new(inside) };
    // SAFETY: it stays there until `xv_destroy_pool`.
    unsafe { Member::join(at, pool) };
    at.as_ptr()
}

#[unsafe(no_mangle)]
unsafe extern "C" fn xv_destroy_pool(pool: *mut Pool) {
    const ME: &str = "xv_destroy_pool";
    // SAFETY: what the header asks of the caller.
    let it = unsafe { life::end(pool, ME) };
    let objects = it.inside.lock().heap.usage().objects;
    if objects > 0 {
        misuse::end(ME, format_args!("{}", InUse(objects)));
    }
    // SAFETY: it joined when it was made.
    unsafe { Member::leave(&raw const it.member) };
    // SAFETY: nobody uses it any more, and it is not used as what it was.
    let Inside { heap, rows } = unsafe { ptr::from_ref(&*it.inside.lock()).read() };
    heap.into_pages();
    drop(rows);
    if let Some(at) = NonNull::new(pool) {
        // SAFETY: made by `xv_create_pool`, and it has left.
        unsafe { fork::bury(at) };
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn xv_malloc(
    pool: *mut Pool,
    size: u32,
    page: *mut *const Row,
    offset: *mut u32,
    flags: Flags,
) -> c_int {
    const ME: &str = "xv_malloc";
    // SAFETY: what the header asks of the caller.
    let got = unsafe { open(pool, ME) }.inside.lock().allocate(size as usize);
    let (row, at, result) = match got {
        Ok((row, at)) => (row.as_ptr().cast_const(), at, 0),
        Err(HandleError::NoMemory) if flags & flags::NOFAIL != 0 => {
            flags::refuse(ME, format_args!("{size} bytes"))
        }
        Err(error) => (ptr::null(), 0, -number(error)),
    };
    // SAFETY: as above.
    unsafe { page.write(row) };
    // SAFETY: as above.
    unsafe { offset.write(at) };
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn xv_free(pool: *mut Pool, page: *const Row, offset: u32) {
    const ME: &str = "xv_free";
    // SAFETY: what the header asks of the caller.
    let freed = unsafe { open(pool, ME) }.inside.lock().free(page, offset);
    let Err(error) = freed else { return };
    let what = match error {
        HandleError::Stale => "is free already (double free)",
        _ => "is none of this pool's",
    };
    misuse::end(ME, format_args!("page {page:p}, offset {offset}: the object {what}"))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn xv_get_object_size(object: *mut u8) -> u32 {
    let Some(object) = NonNull::new(object) else {
        misuse::end("xv_get_object_size", format_args!("the object is NULL"))
    };
    // SAFETY: what the header asks of the caller.
    low32(unsafe { len_at(object) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn xv_get_total_size_bytes(pool: *mut Pool) -> u64 {
    // SAFETY: what the header asks of the caller.
    let pool = unsafe { open(pool, "xv_get_total_size_bytes") };
    pool.inside.lock().heap.usage().pages as u64
}
