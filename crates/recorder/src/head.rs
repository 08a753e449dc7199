//! The head of the file: what is recorded, and on what.

use core::ffi::CStr;
use core::mem::MaybeUninit;

use trace_format::{CHUNK, FileHead, VERSION};

use crate::front;
use crate::options::Stacks;
use crate::text::{self, Text};
use crate::{clock, environment, session, system};

/// Where the head's text begins, and where its length stands.
const TEXT: usize = 64;
const TEXT_LEN: usize = 48;

/// The longest text that is written at first.
const LONGEST: usize = 16 << 10;

/// Adds the program's name, as it may stand in a file's.
pub fn program_name(name: &mut Text<'_>) {
    let file = started().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    name.line(if file.is_empty() { b"program" } else { &file[..file.len().min(100)] });
}

/// What was executed, as it was written: a link or a script has the name that people know, unlike the file behind it.
fn started() -> &'static [u8] {
    // SAFETY: asks only.
    let at = unsafe { libc::getauxval(libc::AT_EXECFN) } as usize;
    let at = core::ptr::with_exposed_provenance::<core::ffi::c_char>(at);
    if at.is_null() {
        return b"";
    }
    // SAFETY: a string that the kernel put behind the environment.
    unsafe { CStr::from_ptr(at) }.to_bytes()
}

/// Where a link leads.
pub fn link<'a>(path: &CStr, buffer: &'a mut [u8]) -> &'a [u8] {
    let (path, place) = (path.as_ptr(), buffer.as_mut_ptr());
    // SAFETY: writes into the buffer.
    let len =
        unsafe { libc::syscall(libc::SYS_readlinkat, libc::AT_FDCWD, path, place, buffer.len()) };
    &buffer[..usize::try_from(len).unwrap_or(0)]
}

/// Writes the head of a new file. `false`: it cannot be written.
pub fn write(file: i32, is_child: bool) -> bool {
    // A page of text, the head's chunk, and room to read files: mapped, as nothing may be allocated.
    let Ok(place) = system::memory(CHUNK + LONGEST) else { return false };
    // SAFETY: mapped, zeroed, and only this function's.
    let chunk = unsafe { &mut *place.cast::<[u8; CHUNK]>() };
    // SAFETY: the rest of the mapping is behind it.
    let scratch = unsafe { place.add(CHUNK) };
    // SAFETY: the rest of the mapping.
    let scratch = unsafe { core::slice::from_raw_parts_mut(scratch, LONGEST) };
    let mut text = Text::new(scratch);
    describe(&mut text, is_child);
    let head = FileHead {
        version: VERSION,
        pid: system::process(),
        parent: system::parent(),
        page: system::page_size() as u32,
        time: clock::now(),
        monotonic: system::nanoseconds(libc::CLOCK_MONOTONIC),
        realtime: system::nanoseconds(libc::CLOCK_REALTIME),
        text: text.bytes(),
    };
    head.write(chunk);
    let is_written = system::grow(file, 0, CHUNK)
        .and_then(|()| system::write_at(file, &chunk[..TEXT + text.len()], 0))
        .is_ok();
    // SAFETY: nothing points there any more.
    unsafe { system::unmap(place, CHUNK + LONGEST) };
    is_written
}

fn describe(text: &mut Text<'_>, is_child: bool) {
    let (mut buffer, mut folder) = ([0; 4096], [0; 4096]);
    let folder = link(c"/proc/self/cwd", &mut folder);
    text.add(b"exe=");
    if !started().starts_with(b"/") {
        text.line(folder).add(b"/");
    }
    text.line(started()).add(b"\n");
    text.pair(b"image", link(c"/proc/self/exe", &mut buffer));
    let command = system::read_file(c"/proc/self/cmdline", &mut buffer);
    text.add(b"command=");
    for (at, word) in
        command.strip_suffix(b"\0").unwrap_or(command).split(|&byte| byte == 0).enumerate()
    {
        text.add(if at > 0 { b" " } else { b"" }).quoted(word);
    }
    text.add(b"\n");
    text.pair(b"cwd", folder);
    let library = (front::get().malloc)();
    text.pair(b"malloc", allocator_name(library));
    text.pair(b"malloc_path", library.to_bytes());
    let mut digits = [0; 20];
    text.pair(b"cpus", decimal(&mut digits, processors()));
    let mut names = MaybeUninit::<libc::utsname>::zeroed();
    // SAFETY: writes `names`.
    unsafe { libc::uname(names.as_mut_ptr()) };
    // SAFETY: zeros, or what the kernel wrote.
    let names = unsafe { names.assume_init() };
    text.pair(b"kernel", text::before_zero(&names.release.map(|byte| byte as u8)));
    let huge = system::read_file(c"/sys/kernel/mm/transparent_hugepage/enabled", &mut buffer);
    text.pair(b"thp", chosen(huge));
    environment::settings().for_each(|setting| text.pair(b"env", setting));
    let options = session::options();
    if options.stacks != Stacks::Off {
        let sampled = options.stacks == Stacks::Sampled;
        text.pair(b"stacks", if sampled { b"sampled" } else { b"all" });
        if sampled {
            text.pair(b"stacks_interval", decimal(&mut digits, options.interval));
            if options.only_sampled {
                text.pair(b"events", b"sampled");
            }
        }
    }
    (front::get().describe)(text, is_child);
    if is_child {
        text.pair(b"forked_from", decimal(&mut digits, u64::from(system::parent())));
    }
}

/// The name of an allocator: what the command calls it, or what is left of its file's name.
fn allocator_name(library: &CStr) -> &[u8] {
    let given = session::options().name();
    if !given.is_empty() {
        return given;
    }
    let file = library.to_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let stem = file.split(|&byte| byte == b'.').next().unwrap_or(file);
    match stem.strip_prefix(b"lib").unwrap_or(stem) {
        b"c" => b"glibc",
        name => name,
    }
}

/// The word in brackets.
fn chosen(words: &[u8]) -> &[u8] {
    let after = words.split(|&byte| byte == b'[').nth(1).unwrap_or_default();
    after.split(|&byte| byte == b']').next().unwrap_or_default()
}

fn processors() -> u64 {
    let mut set = [0u64; 128];
    let (bytes, at) = (size_of_val(&set), set.as_mut_ptr());
    // SAFETY: writes the set.
    unsafe { libc::syscall(libc::SYS_sched_getaffinity, 0, bytes, at) };
    set.iter().map(|word| u64::from(word.count_ones())).sum()
}

fn decimal(digits: &mut [u8; 20], number: u64) -> &[u8] {
    let mut text = Text::new(digits);
    let len = text.number(number).len();
    &digits[..len]
}

/// Adds a line to a head, which others may read meanwhile.
pub fn add(chunk: &mut [u8; CHUNK], key: &[u8], value: &[u8]) {
    let (before, rest) = chunk.split_at_mut(TEXT);
    let Some(place) = before[TEXT_LEN..].first_chunk_mut() else { return };
    let len = u32::from_le_bytes(*place);
    let Some(room) = rest.get_mut(len as usize..) else { return };
    let mut line = [0; 256];
    let mut text = Text::new(&mut line);
    text.pair(key, value);
    if let Some(room) = room.get_mut(..text.len()) {
        room.copy_from_slice(text.bytes());
        *place = (len + text.len() as u32).to_le_bytes();
    }
}
