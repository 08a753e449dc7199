//! What the program was started with: read from the kernel's copy, as the C library may not know its environment yet.
//! Settings of mallocs are kept for the head: a malloc with other settings is another malloc.

use core::cell::UnsafeCell;
use core::ffi::CStr;

use crate::system;
use crate::text::Text;

/// Bytes of all settings that are kept.
const LONGEST: usize = 4096;
/// Names of settings that do not have `MALLOC` in them.
const OTHER_NAMES: [&[u8]; 4] = [b"GLIBC_TUNABLES", b"HEAPWRIGHT", b"SCUDO_OPTIONS", b"G_SLICE"];

/// The settings, each with a zero behind it.
struct Settings(UnsafeCell<[u8; LONGEST]>);

// SAFETY: written once, by the first call, before there are threads.
unsafe impl Sync for Settings {}

/// Kept, as a program may write its title over its environment before it forks or is recorded.
static SETTINGS: Settings = Settings(UnsafeCell::new([0; LONGEST]));

/// Reads the environment and keeps the settings of mallocs. `value` is what the variable `name` has: how long it is. 0: it is not
/// there, or too long.
pub fn read(name: &[u8], value: &mut [u8]) -> usize {
    // SAFETY: the first call, before any other.
    let mut settings = Text::new(unsafe { &mut *SETTINGS.0.get() });
    let mut len = 0;
    each(c"/proc/self/environ", &mut |variable| {
        let found = variable.strip_prefix(name).and_then(|rest| rest.strip_prefix(b"="));
        if let Some(found) = found
            && let Some(place) = value.get_mut(..found.len())
        {
            place.copy_from_slice(found);
            len = found.len();
        } else if is_setting(variable) && settings.room() > variable.len() {
            settings.line(variable).add(b"\0");
        }
    });
    len
}

/// The settings of mallocs, each as `NAME=VALUE`.
pub fn settings() -> impl Iterator<Item = &'static [u8]> {
    // SAFETY: it is not written any more.
    let all: &'static [u8; LONGEST] = unsafe { &*SETTINGS.0.get() };
    all.split(|&byte| byte == 0).filter(|setting| !setting.is_empty())
}

fn is_setting(variable: &[u8]) -> bool {
    let Some(name) = variable.split(|&byte| byte == b'=').next() else { return false };
    OTHER_NAMES.contains(&name) || name.windows(6).any(|part| part == b"MALLOC")
}

/// Shows each variable of an environment, as `NAME=VALUE`. One that is longer than all that is asked for is passed over.
fn each(environment: &CStr, show: &mut dyn FnMut(&[u8])) {
    let Ok(file) = system::open(environment, libc::O_RDONLY) else { return };
    let (mut part, mut variable) = ([0; 1024], [0; LONGEST]);
    let (mut at, mut len) = (0, 0);
    loop {
        let read = system::read_at(file, &mut part, at);
        at += read as u64;
        // The last one may have no zero behind it.
        let bytes = if read == 0 { &[0][..] } else { &part[..read] };
        for &byte in bytes {
            if byte != 0 {
                if let Some(place) = variable.get_mut(len) {
                    *place = byte;
                }
                len += 1;
                continue;
            }
            if let Some(variable) = variable.get(..len) {
                show(variable);
            }
            len = 0;
        }
        if read == 0 {
            break;
        }
    }
    system::close(file);
}
