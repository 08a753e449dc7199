//! What this process has resident that is no file's: what malloc holds, beside what was there from the beginning.

use core::sync::atomic::{AtomicI32, Ordering};

use crate::out::{errno, fail};

static STATM: AtomicI32 = AtomicI32::new(-1);
/// `/proc/self/status`, where this machine has huge pages set aside: they are in no other count.
static STATUS: AtomicI32 = AtomicI32::new(-1);

/// Opens what is read again and again.
pub(crate) fn open() {
    let file = |path: &core::ffi::CStr| {
        // SAFETY: the path is a string.
        unsafe { libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) }
    };
    let statm = file(c"/proc/self/statm");
    if statm < 0 {
        fail(3, format_args!("cannot open /proc/self/statm (errno {})", errno()));
    }
    STATM.store(statm, Ordering::Relaxed);
    let set_aside = [c"/proc/sys/vm/nr_hugepages", c"/proc/sys/vm/nr_overcommit_hugepages"];
    let has_huge = set_aside.into_iter().any(|path| {
        let mut text = [0; 32];
        let of = file(path);
        let count = number(read(of, &mut text));
        // SAFETY: the number is this function's own.
        unsafe { libc::close(of) };
        count > 0
    });
    if has_huge {
        STATUS.store(file(c"/proc/self/status"), Ordering::Relaxed);
    }
}

/// Bytes of anonymous memory, huge pages included.
pub(crate) fn anonymous() -> u64 {
    let mut text = [0; 128];
    let text = read(STATM.load(Ordering::Relaxed), &mut text);
    let mut fields = text.split(|byte| *byte == b' ').map(number);
    let (resident, shared) = (fields.nth(1).unwrap_or(0), fields.next().unwrap_or(0));
    resident.saturating_sub(shared) * page() + huge()
}

/// Bytes of huge pages that were set aside.
fn huge() -> u64 {
    let status = STATUS.load(Ordering::Relaxed);
    if status < 0 {
        return 0;
    }
    let mut text = [0; 4096];
    let text = read(status, &mut text);
    let mut lines = text.split(|byte| *byte == b'\n');
    let line = lines.find_map(|line| line.strip_prefix(b"HugetlbPages:"));
    line.map_or(0, |line| number(line.trim_ascii()) * 1024)
}

/// The file from its beginning.
fn read(file: i32, text: &mut [u8]) -> &[u8] {
    // SAFETY: the bytes are writable.
    let got = unsafe { libc::pread(file, text.as_mut_ptr().cast(), text.len(), 0) };
    &text[..usize::try_from(got).unwrap_or(0)]
}

/// The number that a text begins with.
fn number(text: &[u8]) -> u64 {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
}

fn page() -> u64 {
    // SAFETY: it takes a number and returns one.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}
