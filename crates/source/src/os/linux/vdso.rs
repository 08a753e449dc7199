//! The kernel's own functions in the process: its clock without a system call.
//!
//! ```text
//! auxiliary vector ─► ELF header ─► section headers ─► dynamic symbols ─► name ─► address
//! ```
//!
//! The C library has the same function behind `clock_gettime`, but that name may be another
//! library's, which comes back to malloc. Where the kernel maps no such library (an emulator), or
//! the name is not in it, the clock is a system call.
use core::ffi::{CStr, c_int, c_long};

use base::sync::{AtomicUsize, Ordering};

use super::process::vdso;
use super::syscall::{call6, number};
use super::weak;

#[cfg(target_arch = "x86_64")]
const NAME: &CStr = c"__vdso_clock_gettime";
#[cfg(target_arch = "aarch64")]
const NAME: &CStr = c"__kernel_clock_gettime";

/// Seconds and nanoseconds.
type Time = [c_long; 2];
type ClockGettime = unsafe extern "C" fn(c_int, *mut Time) -> c_int;

/// Before it was looked for.
const UNKNOWN: usize = 0;
/// There is none.
const NONE: usize = 1;

/// The function; all who look it up find the same.
static CLOCK: AtomicUsize = AtomicUsize::new(UNKNOWN);

/// What a clock of the system says. Touches neither errno nor anything of the C library.
pub(super) fn clock(id: c_int) -> Time {
    let mut time = [0; 2];
    let found = match CLOCK.load(Ordering::Relaxed) {
        UNKNOWN => look_up(),
        known => known,
    };
    let address = if found == NONE { 0 } else { found };
    // SAFETY: 0, or the function of that name in the kernel's library, which has this type.
    if let Some(function) = unsafe { weak::function::<ClockGettime>(address) } {
        // SAFETY: room for two words.
        unsafe { function(id, &raw mut time) };
    } else {
        let id = (id as isize).cast_unsigned();
        // SAFETY: the kernel writes two words into `time`.
        unsafe { call6(number::CLOCK_GETTIME, [id, (&raw mut time).addr(), 0, 0, 0, 0]) };
    }
    time
}

#[cold]
fn look_up() -> usize {
    let base = vdso();
    let offset = if base == 0 { None } else { find(base) };
    let found = offset.map_or(NONE, |offset| base + offset);
    CLOCK.store(found, Ordering::Relaxed);
    found
}

/// A value of the image, at an offset that the image says.
fn read<T: Copy>(base: usize, offset: usize) -> T {
    let at = core::ptr::with_exposed_provenance::<T>(base + offset);
    // SAFETY: the kernel's image is whole, and what it says of itself lies in it.
    unsafe { at.read_unaligned() }
}

/// A section's place in the image, its length, and the number of the section it refers to.
fn section(base: usize, number: usize) -> (u32, usize, usize, usize) {
    let size = usize::from(read::<u16>(base, 58));
    let header = read::<usize>(base, 40) + number * size;
    let kind = read::<u32>(base, header + 4);
    let link = read::<u32>(base, header + 40) as usize;
    (kind, read(base, header + 24), read(base, header + 32), link)
}

/// Where the function is in the image.
fn find(base: usize) -> Option<usize> {
    const DYNAMIC_SYMBOLS: u32 = 11;
    const SYMBOL: usize = 24;
    let count = usize::from(read::<u16>(base, 60));
    let symbols = (0..count).map(|number| section(base, number));
    let (_, symbols, length, names) = symbols.into_iter().find(|s| s.0 == DYNAMIC_SYMBOLS)?;
    let (_, names, ..) = section(base, names);
    (symbols..symbols + length).step_by(SYMBOL).find_map(|symbol| {
        let name = names + read::<u32>(base, symbol) as usize;
        let is_it = NAME
            .to_bytes_with_nul()
            .iter()
            .enumerate()
            .all(|(at, &byte)| read::<u8>(base, name + at) == byte);
        let value: usize = read(base, symbol + 8);
        (is_it && value != 0).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_goes_on_and_agrees_with_the_system_call() {
        let now = || clock(1);
        let first = now();
        let mut asked: Time = [0; 2];
        // SAFETY: the kernel writes two words into `asked`.
        unsafe { call6(number::CLOCK_GETTIME, [1, (&raw mut asked).addr(), 0, 0, 0, 0]) };
        let last = now();
        assert!(first <= asked && asked <= last, "{first:?} {asked:?} {last:?}");
    }

    #[test]
    fn the_kernel_has_the_function_where_it_maps_a_library() {
        assert_eq!(vdso() == 0, look_up() == NONE);
    }
}
