//! The few system calls that the recorder makes, without the C library's functions of those names, which may be ours.

use core::ffi::{CStr, c_long};
use core::mem::MaybeUninit;
use core::ptr;

use crate::errno;

/// The system's error number.
pub type Error = i32;

/// What a system call answered.
pub fn result(answer: c_long) -> Result<usize, Error> {
    if answer < 0 { Err(errno::get()) } else { Ok(answer.cast_unsigned() as usize) }
}

/// Bytes of a page.
pub use source::os::imp::process::page_size;

/// This process's number.
pub fn process() -> u32 {
    // SAFETY: asks only.
    unsafe { libc::getpid() }.cast_unsigned()
}

/// Its parent's.
pub fn parent() -> u32 {
    // SAFETY: asks only.
    unsafe { libc::getppid() }.cast_unsigned()
}

/// The user for whom it runs.
pub fn user() -> u32 {
    // SAFETY: asks only.
    unsafe { libc::geteuid() }
}

/// The kernel's number of this thread.
pub fn thread() -> u32 {
    // SAFETY: asks only.
    let number = unsafe { libc::syscall(libc::SYS_gettid) };
    number.cast_unsigned() as u32
}

/// Nanoseconds of a clock.
pub fn nanoseconds(clock: libc::clockid_t) -> u64 {
    let mut now = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: writes `now`.
    unsafe { libc::clock_gettime(clock, now.as_mut_ptr()) };
    // SAFETY: zeros, or what the clock wrote.
    let now = unsafe { now.assume_init() };
    now.tv_sec.cast_unsigned() * 1_000_000_000 + now.tv_nsec.cast_unsigned()
}

/// Opens a file; `flags` beside `O_CLOEXEC`.
pub fn open(path: &CStr, flags: i32) -> Result<i32, Error> {
    let flags = flags | libc::O_CLOEXEC;
    // SAFETY: reads the path, which ends in a zero.
    let file =
        unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0o644) };
    result(file).map(|file| file as i32)
}

/// Makes a folder for this user alone, if there is none.
pub fn make_folder(path: &CStr) {
    // SAFETY: reads the path, which ends in a zero.
    unsafe { libc::syscall(libc::SYS_mkdirat, libc::AT_FDCWD, path.as_ptr(), 0o700) };
}

/// Removes a file.
pub fn remove(path: &CStr) {
    // SAFETY: reads the path, which ends in a zero.
    unsafe { libc::syscall(libc::SYS_unlinkat, libc::AT_FDCWD, path.as_ptr(), 0) };
}

/// Closes a descriptor of ours.
pub fn close(file: i32) {
    // SAFETY: a descriptor of ours.
    unsafe { libc::syscall(libc::SYS_close, file) };
}

/// A second descriptor of a file with a high number, and the first one closed; the first one where there is none. With a low limit at
/// least none of the three that every program uses: it may have been started without them.
pub fn moved_up(file: i32) -> i32 {
    for lowest in [900, 300, 100, 3] {
        // SAFETY: makes a descriptor.
        let copy = unsafe { libc::syscall(libc::SYS_fcntl, file, libc::F_DUPFD_CLOEXEC, lowest) };
        if let Ok(copy) = result(copy) {
            close(file);
            return copy as i32;
        }
    }
    file
}

/// A second descriptor of a file.
pub(crate) fn copied(file: i32) -> Result<i32, Error> {
    // SAFETY: makes a descriptor.
    let copy = unsafe { libc::syscall(libc::SYS_fcntl, file, libc::F_DUPFD_CLOEXEC, 3) };
    result(copy).map(|copy| copy as i32)
}

/// Device and inode of an open file.
pub fn identity(file: i32) -> Option<[u64; 2]> {
    about(file).map(|about| [about.st_dev, about.st_ino])
}

/// What the system knows of an open file.
pub(crate) fn about(file: i32) -> Option<libc::stat> {
    let mut about = MaybeUninit::<libc::stat>::zeroed();
    // SAFETY: writes `about`.
    let answer = unsafe { libc::fstat(file, about.as_mut_ptr()) };
    // SAFETY: zeros, or what the kernel wrote.
    (answer == 0).then(|| unsafe { about.assume_init() })
}

/// Gives a file the owner and the rights of another one, as far as this process may.
pub(crate) fn give_to(file: i32, like: &libc::stat) {
    // SAFETY: changes a file of ours.
    unsafe { libc::syscall(libc::SYS_fchown, file, like.st_uid, like.st_gid) };
    // SAFETY: changes a file of ours.
    unsafe { libc::syscall(libc::SYS_fchmod, file, like.st_mode & 0o777) };
}

/// Gives a file another name, in place of a file that has it.
pub(crate) fn rename(from: &CStr, to: &CStr) -> Result<(), Error> {
    let (here, from, to) = (libc::AT_FDCWD, from.as_ptr(), to.as_ptr());
    // SAFETY: reads the paths, which end in zeros.
    result(unsafe { libc::syscall(libc::SYS_renameat2, here, from, here, to, 0) }).map(drop)
}

/// Whether a file may be this long: a write behind the limit would end the program by a signal.
pub fn may_be_long(len: u64) -> bool {
    let mut limit = MaybeUninit::<libc::rlimit64>::zeroed();
    let (none, place) = (ptr::null::<libc::rlimit64>(), limit.as_mut_ptr());
    // SAFETY: writes `limit`.
    let answer = unsafe { libc::syscall(libc::SYS_prlimit64, 0, libc::RLIMIT_FSIZE, none, place) };
    // SAFETY: zeros, or what the kernel wrote.
    answer != 0 || len <= unsafe { limit.assume_init() }.rlim_cur
}

/// Lets a file grow by zeros that the disk has room for. Written, as what `fallocate` keeps costs four times as much in the faults
/// that follow.
pub fn grow(file: i32, at: u64, len: usize) -> Result<(), Error> {
    static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
    if !may_be_long(at + len as u64) {
        return Err(libc::EFBIG);
    }
    for part in (0..len).step_by(ZEROS.len()) {
        write_at(file, &ZEROS[..ZEROS.len().min(len - part)], at + part as u64)?;
    }
    Ok(())
}

/// Lets a file be this long: what is new reads as zeros.
pub fn set_len(file: i32, len: u64) -> Result<(), Error> {
    // SAFETY: changes a file of ours.
    result(unsafe { libc::syscall(libc::SYS_ftruncate, file, len) }).map(drop)
}

/// Gives back what the disk keeps of a part of a file; it reads as zeros.
pub fn punch(file: i32, at: u64, len: usize) -> Result<(), Error> {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    loop {
        // SAFETY: changes a file of ours.
        match result(unsafe { libc::syscall(libc::SYS_fallocate, file, mode, at, len) }) {
            Err(libc::EINTR) => {}
            done => return done.map(drop),
        }
    }
}

/// Writes all of it to a place of a file.
pub fn write_at(file: i32, mut bytes: &[u8], mut at: u64) -> Result<(), Error> {
    while !bytes.is_empty() {
        // SAFETY: reads the bytes.
        let wrote =
            unsafe { libc::syscall(libc::SYS_pwrite64, file, bytes.as_ptr(), bytes.len(), at) };
        match result(wrote) {
            Err(libc::EINTR) => {}
            Err(error) => return Err(error),
            Ok(0) => return Err(libc::ENOSPC),
            Ok(wrote) => {
                at += wrote as u64;
                bytes = &bytes[wrote..];
            }
        }
    }
    Ok(())
}

/// Reads from a place of a file until `buffer` is full or the file ends: how much.
pub fn read_at(file: i32, buffer: &mut [u8], at: u64) -> usize {
    let mut read = 0;
    while read < buffer.len() {
        let rest = &mut buffer[read..];
        // SAFETY: writes into the buffer.
        let got = unsafe {
            libc::syscall(libc::SYS_pread64, file, rest.as_mut_ptr(), rest.len(), at + read as u64)
        };
        match result(got) {
            Err(libc::EINTR) => {}
            Err(_) | Ok(0) => break,
            Ok(got) => read += got,
        }
    }
    read
}

/// The beginning of a file, as much as fits; empty where it cannot be read.
pub fn read_file<'a>(path: &CStr, buffer: &'a mut [u8]) -> &'a [u8] {
    let Ok(file) = open(path, libc::O_RDONLY) else { return &[] };
    let read = read_at(file, buffer, 0);
    close(file);
    &buffer[..read]
}

/// Maps a part of a file, shared, and has it there for writing: a fault for each page would cost more.
pub fn map(file: i32, at: u64, len: usize) -> Result<*mut u8, Error> {
    let address = map_as_it_is(file, at, len)?;
    // SAFETY: changes nothing of what is there. Kernels before 5.14 do not know it.
    unsafe { libc::syscall(libc::SYS_madvise, address, len, libc::MADV_POPULATE_WRITE) };
    Ok(address)
}

/// Maps a part of a file, shared.
pub fn map_as_it_is(file: i32, at: u64, len: usize) -> Result<*mut u8, Error> {
    mmap(len, libc::MAP_SHARED, file, at)
}

/// Maps memory of our own.
pub fn memory(len: usize) -> Result<*mut u8, Error> {
    mmap(len, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
}

/// Gives back what [`memory`] of ours holds; it reads as zeros.
pub(crate) fn empty(at: *mut u8, len: usize) {
    // SAFETY: memory of ours, which may be zeros.
    unsafe { libc::syscall(libc::SYS_madvise, at, len, libc::MADV_DONTNEED) };
}

fn mmap(len: usize, flags: i32, file: i32, at: u64) -> Result<*mut u8, Error> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let nowhere = ptr::null::<u8>();
    // SAFETY: a new mapping.
    let address =
        unsafe { libc::syscall(libc::SYS_mmap, nowhere, len, protection, flags, file, at) };
    result(address).map(ptr::with_exposed_provenance_mut)
}

/// Unmaps what [`map`] or [`memory`] gave.
///
/// # Safety
///
/// Nothing points there.
pub unsafe fn unmap(at: *mut u8, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(libc::SYS_munmap, at, len) };
}

/// Has a child of this process find zeros in the pages at `at`.
///
/// # Safety
///
/// They are pages of ours, which may be zeros.
pub unsafe fn wipe_in_children(at: *const u8, len: usize) -> bool {
    // SAFETY: the caller's promise.
    unsafe { libc::syscall(libc::SYS_madvise, at, len, libc::MADV_WIPEONFORK) == 0 }
}

/// The calling thread's name.
pub fn thread_name() -> [u8; 16] {
    let mut name = [0u8; 16];
    // SAFETY: writes sixteen bytes.
    unsafe { libc::syscall(libc::SYS_prctl, libc::PR_GET_NAME, name.as_mut_ptr()) };
    name
}
