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

/// Bytes of anonymous memory that a preloaded malloc has already, before the first call: in mappings without a file, on the
/// heap, and in its own library's data. To be asked before this program has mappings of its own.
pub(crate) fn of_malloc(preloaded: &[u8]) -> u64 {
    // SAFETY: the path is a string.
    let file =
        unsafe { libc::open(c"/proc/self/smaps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    let mut bytes = [0_u8; 4096];
    let (mut line, mut len) = ([0_u8; 512], 0);
    let (mut is_mallocs, mut kib) = (false, 0);
    loop {
        // SAFETY: the bytes are writable.
        let got = unsafe { libc::read(file, bytes.as_mut_ptr().cast(), bytes.len()) };
        let Some(got) = usize::try_from(got).ok().filter(|got| *got > 0) else { break };
        for &byte in &bytes[..got] {
            if byte != b'\n' {
                if let Some(place) = line.get_mut(len) {
                    *place = byte;
                    len += 1;
                }
                continue;
            }
            let text = &line[..len];
            if let Some(rest) = text.strip_prefix(b"Anonymous:") {
                kib += if is_mallocs { number(rest.trim_ascii()) } else { 0 };
            } else if let Some(path) = mapped(text) {
                is_mallocs = match path {
                    b"" | b"[heap]" => true,
                    path => {
                        preloaded.split(|byte| b": ".contains(byte)).any(|one| is_of(path, one))
                    }
                };
            }
            len = 0;
        }
    }
    // SAFETY: the number is this function's own.
    unsafe { libc::close(file) };
    kib * 1024
}

/// What is mapped, if a line of `smaps` begins a mapping: a path, a name in brackets, or nothing.
fn mapped(line: &[u8]) -> Option<&[u8]> {
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let is_first = words.next()?.contains(&b'-');
    let path = words.nth(4).unwrap_or_default();
    (is_first && line.first().is_some_and(u8::is_ascii_hexdigit)).then_some(path)
}

/// Whether a file that is mapped is this library: it may be a link, whose file has a longer version.
fn is_of(path: &[u8], library: &[u8]) -> bool {
    let name = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next().map(<[u8]>::len);
    let [file, link] = [path, library].map(|path| &path[path.len() - name(path).unwrap_or(0)..]);
    !link.is_empty() && file.starts_with(link)
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
