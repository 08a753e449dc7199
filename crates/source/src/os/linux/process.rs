//! What the process knows about itself: small files of /proc, and the auxiliary vector.

use core::ffi::{CStr, c_int, c_ulong};

use base::bits::index;
use base::sync::{AtomicUsize, Ordering};

use super::peek::first_thread_has_ended;
use super::syscall::{call6, leave_to_library, number, result};
use super::weak::address_of;

pub(super) const AT_FDCWD: usize = usize::MAX - 99;
const O_RDONLY_CLOEXEC: usize = 0x8_0000;
const AT_PHDR: c_ulong = 3;
const AT_PAGESZ: c_ulong = 6;
const AT_SECURE: c_ulong = 23;
const AT_SYSINFO_EHDR: c_ulong = 33;
const CLONE_THREAD: usize = 0x1_0000;
const KCMP_VM: usize = 1;
const GRND_NONBLOCK: usize = 1;
const EINVAL: i32 = 22;
const PR_SET_SYSCALL_USER_DISPATCH: usize = 59;
const PR_SYS_DISPATCH_ON: usize = 1;

unsafe extern "C" {
    fn getauxval(kind: c_ulong) -> c_ulong;
    fn __errno_location() -> *mut c_int;
}

/// What the kernel passed at start under this number; 0 where it passed nothing. The C library
/// then sets errno, which stays as it was here: `free` may ask.
fn auxiliary(kind: c_ulong) -> usize {
    // SAFETY: the C library gives every thread a valid location.
    let errno = unsafe { __errno_location() };
    // SAFETY: as above.
    let before = unsafe { errno.read() };
    // SAFETY: reads the vector the kernel passed at start.
    let value = index(unsafe { getauxval(kind) });
    // SAFETY: as above.
    unsafe { errno.write(before) };
    value
}

/// Whether the program runs with rights its caller does not have (set-uid and the like).
pub fn is_secure() -> bool {
    auxiliary(AT_SECURE) != 0
}

/// 64 bits that nobody guesses. `None`: the kernel has none, or a filter of system calls refuses.
pub fn random() -> Option<u64> {
    let mut bytes = [0; 8];
    let to = (&raw mut bytes).expose_provenance();
    // SAFETY: writes `bytes`, which are this function's.
    let answer =
        unsafe { call6(number::GETRANDOM, [to, size_of_val(&bytes), GRND_NONBLOCK, 0, 0, 0]) };
    (answer == bytes.len()).then(|| u64::from_ne_bytes(bytes))
}

/// Where the kernel has mapped its own library; 0 where it has not.
pub(super) fn vdso() -> usize {
    auxiliary(AT_SYSINFO_EHDR)
}

/// Where the program's headers are; 0 where the kernel does not say.
pub(super) fn program_headers() -> usize {
    auxiliary(AT_PHDR)
}

/// What a page is before the kernel has been asked, and where it does not say.
const SMALLEST_PAGE: usize = 4096;

/// The kernel's page; 0 before it was looked up. All who look it up find the same.
static PAGE: AtomicUsize = AtomicUsize::new(0);

/// Bytes in the kernel's page: 4, 16 or 64 KiB. One load after the first call.
#[inline]
pub fn page_size() -> usize {
    match PAGE.load(Ordering::Relaxed) {
        0 => look_up_page_size(),
        page => page,
    }
}

#[cold]
fn look_up_page_size() -> usize {
    let page = auxiliary(AT_PAGESZ);
    let page = if page.is_power_of_two() { page.max(SMALLEST_PAGE) } else { SMALLEST_PAGE };
    PAGE.store(page, Ordering::Relaxed);
    page
}

/// The number of this process.
pub fn process_id() -> usize {
    // SAFETY: asks for a number.
    unsafe { call6(number::GETPID, [0; 6]) }
}

/// The number of the process that began this one; 1 or another reaper's after its end.
pub fn parent_id() -> usize {
    // SAFETY: asks for a number.
    unsafe { call6(number::GETPPID, [0; 6]) }
}

pub(super) fn thread_id() -> usize {
    // SAFETY: asks for a number.
    unsafe { call6(number::GETTID, [0; 6]) }
}

/// Whether the C library knows that this is the only thread. `None`: it does not say; glibc 2.32
/// and later do.
pub fn is_only_thread() -> Option<bool> {
    let flag = core::ptr::with_exposed_provenance::<u8>(address_of!("__libc_single_threaded"));
    // SAFETY: null or a byte of the C library.
    (!flag.is_null()).then(|| unsafe { flag.read_volatile() } != 0)
}

/// Whether this is the only thread as far as the kernel says: it then leaves a group of threads
/// that has no other, which changes nothing. In containers it may refuse to say.
pub(super) fn may_be_only_thread() -> bool {
    // SAFETY: nothing is shared less than before.
    result(unsafe { call6(number::UNSHARE, [CLONE_THREAD, 0, 0, 0, 0, 0]) }) != Err(EINVAL)
}

/// Whether the first thread has ended and only the calling one is left: a process whose threads ended by bare
/// system calls, of which the C library knows nothing. `false` too where the kernel does not say.
pub fn is_last_thread() -> bool {
    // The first thread stays in the count until all others have ended; the folder counts itself and its parent.
    first_thread_has_ended() && links_of(c"/proc/self/task") == Some(2 + 2)
}

/// Ends the calling thread, the [last](is_last_thread), and with it the process, as the first thread ended.
pub fn end_as_first_thread() -> ! {
    let mut buffer = [0; 1024];
    let text = read_file(c"/proc/self/stat", &mut buffer);
    let last = text.trim_ascii_end().rsplit(|&byte| byte == b' ').next();
    let code = last.and_then(|digits| str::from_utf8(digits).ok()?.parse::<usize>().ok());
    // As `wait` has it: a signal below, or what `exit` was given above; by a signal, what shells say.
    let status = match code.unwrap_or(0) {
        code if code & 0x7f == 0 => code >> 8 & 0xff,
        code => 128 + (code & 0x7f),
    };
    loop {
        // SAFETY: nothing comes after it.
        unsafe { call6(number::EXIT, [status, 0, 0, 0, 0, 0]) };
    }
}

fn links_of(path: &CStr) -> Option<u32> {
    const NLINK: usize = 4;
    Some(statx(AT_FDCWD, path, 0, NLINK)?[4])
}

/// `statx(2)`: what the kernel knows of a file, 256 bytes in words of four. `None`: it does not say.
pub(super) fn statx(folder: usize, path: &CStr, flags: usize, mask: usize) -> Option<[u32; 64]> {
    let mut about = [0u32; 64];
    let answer = about.as_mut_ptr().expose_provenance();
    let args = [folder, path.as_ptr().addr(), flags, mask, answer, 0];
    // SAFETY: the kernel reads the path and writes `about`.
    result(unsafe { call6(number::STATX, args) }).ok()?;
    Some(about)
}

/// Changes or reads an attribute of the process: `prctl(2)`.
/// Errors: the kernel's error number.
/// # Safety
/// What the option does and writes is the caller's to vouch for.
pub unsafe fn prctl(option: usize, args: [usize; 4]) -> Result<usize, i32> {
    let [first, second, third, fourth] = args;
    if (option, first) == (PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON) {
        leave_to_library();
    }
    // SAFETY: the caller's promise.
    result(unsafe { call6(number::PRCTL, [option, first, second, third, fourth, 0]) })
}

/// Whether two processes have the same memory. `None`: the kernel does not say.
pub(super) fn shares_memory(one: usize, other: usize) -> Option<bool> {
    // SAFETY: compares, and changes nothing.
    result(unsafe { call6(number::KCMP, [one, other, KCMP_VM, 0, 0, 0]) })
        .ok()
        .map(|order| order == 0)
}

/// The resource of a file's length.
const RLIMIT_FSIZE: usize = 1;
/// The resource of address space.
pub const RLIMIT_AS: usize = 9;
/// No limit.
pub const NO_LIMIT: u64 = u64::MAX;

/// Reads and sets a limit of a process, 0 being this one: soft, then hard.
/// Errors: the kernel's error number.
/// # Safety
/// `new` is null or valid for reading two words, `old` null or valid for writing two.
pub unsafe fn prlimit(
    process: usize,
    resource: usize,
    new: *const [u64; 2],
    old: *mut [u64; 2],
) -> Result<(), i32> {
    let args = [process, resource, new.addr(), old.addr(), 0, 0];
    // SAFETY: the caller's promise.
    result(unsafe { call6(number::PRLIMIT64, args) }).map(|_| ())
}

/// Whether a file of this process may have `len` bytes: a longer one would raise SIGXFSZ, which ends it.
pub(super) fn file_may_have(len: usize) -> bool {
    let mut limit = [NO_LIMIT; 2];
    // SAFETY: room for two words.
    let known = unsafe { prlimit(0, RLIMIT_FSIZE, core::ptr::null(), &raw mut limit) };
    known.is_err() || limit[0] >= len as u64
}

/// Reads the start of a file into `buffer` and returns what was read; empty on any error.
pub fn read_file<'a>(path: &CStr, buffer: &'a mut [u8]) -> &'a [u8] {
    let Some(fd) = open(path) else { return &[] };
    let mut len = 0;
    while len < buffer.len() {
        match read(fd, &mut buffer[len..]) {
            0 => break,
            got => len += got,
        }
    }
    close(fd);
    &buffer[..len]
}

/// Calls `each` with the lines of a file, one after the other; of one that is longer than 1 KiB with its beginning. Files of
/// /proc may be of any length: one line of them has the user's groups, another file a path for each control group.
pub(super) fn each_line(path: &CStr, mut each: impl FnMut(&[u8])) {
    let Some(fd) = open(path) else { return };
    let mut buffer = [0u8; 1024];
    let (mut len, mut is_rest) = (0, false);
    loop {
        let got = read(fd, &mut buffer[len..]);
        if got == 0 {
            break;
        }
        len += got;
        let mut start = 0;
        while let Some(end) = buffer[start..len].iter().position(|&byte| byte == b'\n') {
            if !is_rest {
                each(&buffer[start..start + end]);
            }
            is_rest = false;
            start += end + 1;
        }
        buffer.copy_within(start..len, 0);
        len -= start;
        if len == buffer.len() {
            if !is_rest {
                each(&buffer);
            }
            (len, is_rest) = (0, true);
        }
    }
    if len > 0 && !is_rest {
        each(&buffer[..len]);
    }
    close(fd);
}

fn open(path: &CStr) -> Option<usize> {
    open_as(path, O_RDONLY_CLOEXEC, 0).ok()
}

/// Opens a file as `openat(2)` does; the error number if not.
pub(super) fn open_as(path: &CStr, flags: usize, mode: usize) -> Result<usize, i32> {
    let open = [AT_FDCWD, path.as_ptr().addr(), flags, mode, 0, 0];
    // SAFETY: the kernel reads `path`, which ends in a zero.
    result(unsafe { call6(number::OPENAT, open) })
}

/// How much was read; 0 at the end of the file, and on any error.
fn read(fd: usize, buffer: &mut [u8]) -> usize {
    let read = [fd, buffer.as_mut_ptr().addr(), buffer.len(), 0, 0, 0];
    // SAFETY: the kernel writes into `buffer`.
    result(unsafe { call6(number::READ, read) }).unwrap_or(0)
}

/// Closes what [`open_as`] has opened.
pub(super) fn close(fd: usize) {
    // SAFETY: the caller's own descriptor.
    unsafe { call6(number::CLOSE, [fd, 0, 0, 0, 0, 0]) };
}

/// Resident memory of this process in bytes, now and at its peak.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resident {
    /// Bytes resident now.
    pub now: usize,
    /// The most there has been.
    pub peak: usize,
}

/// Reads /proc/self/status; zeroes when it cannot be read.
pub fn resident() -> Resident {
    let mut seen = Resident::default();
    each_line(c"/proc/self/status", |line| {
        seen.now = seen.now.max(kib_field(line, b"VmRSS:") * 1024);
        seen.peak = seen.peak.max(kib_field(line, b"VmHWM:") * 1024);
    });
    seen
}

/// Whether a filter of system calls is installed, or /proc/self/status does not say so.
pub(super) fn is_confined() -> bool {
    let mut is_free = false;
    each_line(c"/proc/self/status", |line| is_free |= line == b"Seccomp:\t0");
    !is_free
}

/// The number after `name` at the start of a line; 0 when it is not there.
fn kib_field(text: &[u8], name: &[u8]) -> usize {
    text.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(name)).map_or(0, |rest| {
        rest.iter()
            .skip_while(|byte| !byte.is_ascii_digit())
            .take_while(|byte| byte.is_ascii_digit())
            .fold(0usize, |sum, &digit| sum * 10 + usize::from(digit - b'0'))
    })
}

#[cfg(test)]
mod tests;
