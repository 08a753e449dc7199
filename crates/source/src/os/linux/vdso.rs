//! The kernel's own functions in the process: its clock, and where a thread runs, without a system call.
//!
//! ```text
//! auxiliary vector ─► ELF header ─► section headers ─► dynamic symbols ─► name ─► address
//! ```
//!
//! The C library has the same functions behind `clock_gettime` and `getcpu`, but those names may be another
//! library's, which comes back to malloc. Where the kernel maps no such library (an emulator), or
//! a name is not in it, the clock is a system call, and every thread is on node 0: a program whose filter of
//! system calls kills has not allowed `getcpu`.
use core::ffi::{CStr, c_int, c_long};

use base::sync::{AtomicUsize, Ordering};

use super::process::vdso;
use super::syscall::{call6, number};
use super::weak;

/// Seconds and nanoseconds.
type Time = [c_long; 2];
type ClockGettime = unsafe extern "C" fn(c_int, *mut Time) -> c_int;
/// Processor, node, and what has not been used since Linux 2.6.24.
type Getcpu = unsafe extern "C" fn(*mut u32, *mut u32, *mut u8) -> c_int;

const NONE: usize = 0;
const UNKNOWN: usize = 1;

struct Function {
    name: &'static CStr,
    /// All who look it up find the same.
    address: AtomicUsize,
}

static CLOCK: Function = Function::new(if cfg!(target_arch = "aarch64") {
    c"__kernel_clock_gettime"
} else {
    c"__vdso_clock_gettime"
});
/// Only x86-64 has it.
static GETCPU: Function = Function::new(c"__vdso_getcpu");

impl Function {
    const fn new(name: &'static CStr) -> Self {
        Self { name, address: AtomicUsize::new(UNKNOWN) }
    }

    fn address(&self) -> usize {
        match self.address.load(Ordering::Relaxed) {
            UNKNOWN => self.look_up(),
            known => known,
        }
    }

    #[cold]
    fn look_up(&self) -> usize {
        // Whoever comes back here from the look-up itself does without meanwhile.
        self.address.store(NONE, Ordering::Relaxed);
        let found = Image::of_the_kernel().and_then(|image| image.find(self.name)).unwrap_or(NONE);
        self.address.store(found, Ordering::Relaxed);
        found
    }
}

/// What a clock of the system says. Touches neither errno nor, but for the first time, anything of
/// the C library.
pub(super) fn clock(id: c_int) -> Time {
    let mut time = [0; 2];
    // SAFETY: 0, or the function of that name in the kernel's library, which has this type.
    if let Some(function) = unsafe { weak::function::<ClockGettime>(CLOCK.address()) } {
        // SAFETY: room for two words.
        unsafe { function(id, &raw mut time) };
    } else {
        let id = (id as isize).cast_unsigned();
        // SAFETY: the kernel writes two words into `time`.
        unsafe { call6(number::CLOCK_GETTIME, [id, (&raw mut time).addr(), 0, 0, 0, 0]) };
    }
    time
}

/// The NUMA node of the processor that the thread runs on; 0 where only a system call would say.
pub(super) fn node() -> u32 {
    let mut node = 0;
    // SAFETY: 0, or the function of that name in the kernel's library, which has this type.
    if let Some(function) = unsafe { weak::function::<Getcpu>(GETCPU.address()) } {
        // SAFETY: room for a node; what is null is not said.
        unsafe { function(core::ptr::null_mut(), &raw mut node, core::ptr::null_mut()) };
    }
    node
}

/// The kernel's library: a whole ELF file, which stays where it is for as long as the process runs.
struct Image {
    base: usize,
}

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
    fn the_node_is_the_one_the_system_call_says() {
        const GETCPU: usize = if cfg!(target_arch = "aarch64") { 168 } else { 309 };
        for _ in 0..100 {
            let (mut before, mut after) = (0u32, 0u32);
            let ask = |node: &mut u32| {
                let args = [0, core::ptr::from_mut(node).addr(), 0, 0, 0, 0];
                // SAFETY: the kernel writes a node.
                unsafe { call6(GETCPU, args) };
            };
            ask(&mut before);
            let said = node();
            ask(&mut after);
            // The thread may have moved in between.
            if before == after && super::GETCPU.address() != NONE {
                assert_eq!(said, before);
                return;
            }
        }
    }

    #[test]
    fn the_kernel_has_the_function_where_it_maps_a_library() {
        assert_eq!(vdso() == 0, CLOCK.look_up() == NONE);
    }
}
