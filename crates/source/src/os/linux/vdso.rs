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

/// There is none.
const NONE: usize = 0;
/// It was not looked for yet.
const UNKNOWN: usize = 1;

/// The function's address; all who look it up find the same.
static CLOCK: AtomicUsize = AtomicUsize::new(UNKNOWN);

/// What a clock of the system says. Touches neither errno nor, but for the first time, anything of
/// the C library.
pub(super) fn clock(id: c_int) -> Time {
    let mut time = [0; 2];
    let address = match CLOCK.load(Ordering::Relaxed) {
        UNKNOWN => look_up(),
        known => known,
    };
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
    // Whoever comes back here from the look-up itself asks the kernel meanwhile.
    CLOCK.store(NONE, Ordering::Relaxed);
    let found = Image::of_the_kernel().and_then(|image| image.find(NAME)).unwrap_or(NONE);
    CLOCK.store(found, Ordering::Relaxed);
    found
}

/// The kernel's library: a whole ELF file, which stays where it is for as long as the process runs.
struct Image {
    base: usize,
}

/// What a section header says.
struct Section {
    kind: u32,
    offset: usize,
    len: usize,
    /// The number of the section that its names are in.
    link: usize,
}

// Offsets in ELF-64's header, section headers and symbols, and a kind of section (elf.h).
const SECTIONS: usize = 40;
const SECTION_SIZE: usize = 58;
const SECTION_COUNT: usize = 60;
const KIND: usize = 4;
const OFFSET: usize = 24;
const LEN: usize = 32;
const LINK: usize = 40;
const DYNAMIC_SYMBOLS: u32 = 11;
const SYMBOL_SIZE: usize = 24;
const SYMBOL_VALUE: usize = 8;

impl Image {
    fn of_the_kernel() -> Option<Self> {
        let base = vdso();
        (base != 0).then_some(Self { base })
    }

    /// A value at an offset that the image says.
    fn read<T: Copy>(&self, offset: usize) -> T {
        let at = core::ptr::with_exposed_provenance::<T>(self.base + offset);
        // SAFETY: inside the image: its header says no offset that is not.
        unsafe { at.read_unaligned() }
    }

    fn section(&self, number: usize) -> Section {
        let size = usize::from(self.read::<u16>(SECTION_SIZE));
        let header = self.read::<usize>(SECTIONS) + number * size;
        Section {
            kind: self.read(header + KIND),
            offset: self.read(header + OFFSET),
            len: self.read(header + LEN),
            link: self.read::<u32>(header + LINK) as usize,
        }
    }

    /// The address of the function `name`.
    fn find(&self, name: &CStr) -> Option<usize> {
        let count = usize::from(self.read::<u16>(SECTION_COUNT));
        let mut sections = (0..count).map(|number| self.section(number));
        let symbols = sections.find(|section| section.kind == DYNAMIC_SYMBOLS)?;
        let names = self.section(symbols.link).offset;
        let end = symbols.offset + symbols.len;
        (symbols.offset..end).step_by(SYMBOL_SIZE).find_map(|symbol| {
            let text = names + self.read::<u32>(symbol) as usize;
            let mut bytes = name.to_bytes_with_nul().iter().enumerate();
            let is_it = bytes.all(|(at, &byte)| self.read::<u8>(text + at) == byte);
            let value: usize = self.read(symbol + SYMBOL_VALUE);
            (is_it && value != 0).then_some(self.base + value)
        })
    }
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
