//! Memory in huge pages, and how much of it was never written: looked at rarely, as the system walks all pages to tell.
//!
//! ```text
//! smaps ─► mappings with huge pages ─► some pages of them ─► all zeros? ─► `huge_pages=TIME BYTES EMPTY`, a line of the file's head
//! ```
//!
//! A huge page is resident as a whole when its first byte is touched. What the program never wrote of it is zeros still, and
//! nothing else tells that from what it uses.

use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::text::Text;
use crate::{file, system};

/// Bytes of a huge page, and of a page.
const HUGE: usize = 2 << 20;
const PAGE: usize = 4 << 10;
/// With less anonymous memory nothing is looked at.
const LEAST: u64 = 4 << 20;
/// Where memory has not doubled, looking takes at most one part in so many of the time, and is not done for so many nanoseconds.
const SHARE: u64 = 128;
const REST: u64 = 250_000_000;
/// Lines of a file.
const LINES: u64 = 64;
/// Huge pages that are looked into, and pages of each that are read.
const LOOKED_INTO: usize = 64;
const READ: usize = 32;
/// Mappings that are remembered, and huge pages' places that are asked for.
const MAPPINGS: usize = 512;
const ASKED: usize = 4096;

/// A thread looks.
static LOOKS: AtomicBool = AtomicBool::new(false);
/// Anonymous memory at the last look.
static AT: AtomicU64 = AtomicU64::new(0);
/// Before this time nothing is looked at.
static DUE: AtomicU64 = AtomicU64::new(0);
/// What the last line tells, and how many there are.
static TOLD: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];

/// Room to work in: mapped, as nothing may be allocated.
#[repr(C, align(4096))]
struct Room {
    pages: [u8; READ * PAGE],
    mappings: [Mapping; MAPPINGS],
    resident: [u8; HUGE / PAGE],
}

/// Where huge pages may lie.
#[derive(Clone, Copy)]
struct Mapping {
    start: usize,
    end: usize,
}

/// A recording begins.
pub(crate) fn begin() {
    for word in [&AT, &DUE].into_iter().chain(&TOLD) {
        word.store(0, Ordering::Relaxed);
    }
    LOOKS.store(false, Ordering::Relaxed);
}

/// Looks, if it is time to: memory has doubled, the last look is long ago, or the process ends.
pub(crate) fn note(anon: u64, is_end: bool) {
    let now = system::nanoseconds(libc::CLOCK_MONOTONIC);
    let has_doubled = anon / 2 >= AT.load(Ordering::Relaxed);
    let is_due = is_end || has_doubled || now >= DUE.load(Ordering::Relaxed);
    if anon < LEAST || !is_due || LOOKS.swap(true, Ordering::Acquire) {
        return;
    }
    AT.store(anon, Ordering::Relaxed);
    if let Ok(place) = system::memory(size_of::<Room>()) {
        // SAFETY: mapped, zeros, which a room may be, and only this function's.
        look(unsafe { &mut *place.cast::<Room>() });
        // SAFETY: nothing points there any more.
        unsafe { system::unmap(place, size_of::<Room>()) };
    }
    let took = system::nanoseconds(libc::CLOCK_MONOTONIC).saturating_sub(now);
    DUE.store(now + (took * SHARE).max(REST), Ordering::Relaxed);
    LOOKS.store(false, Ordering::Release);
}

fn look(room: &mut Room) {
    let Some((bytes, mappings)) = in_huge_pages(room) else { return };
    let (read, empty) = sample(room, mappings, bytes);
    if read == 0 && bytes > 0 {
        return;
    }
    let empty = bytes / read.max(1) * empty;
    // That there are none is told as well, once.
    let [told, told_empty, lines] = TOLD.each_ref().map(|word| word.load(Ordering::Relaxed));
    let is_new = bytes.abs_diff(told).max(empty.abs_diff(told_empty)) * 8 > told.max(bytes);
    if lines > 0 && !is_new || lines >= LINES {
        return;
    }
    for (word, value) in TOLD.iter().zip([bytes, empty, lines + 1]) {
        word.store(value, Ordering::Relaxed);
    }
    let mut line = [0; 64];
    let mut text = Text::new(&mut line);
    text.number(system::nanoseconds(libc::CLOCK_REALTIME));
    text.add(b" ").number(bytes).add(b" ").number(empty);
    file::note(b"huge_pages", text.bytes());
}

/// Bytes in huge pages, and how many mappings of the room have them.
fn in_huge_pages(room: &mut Room) -> Option<(u64, usize)> {
    let file = system::open(c"/proc/self/smaps", libc::O_RDONLY).ok()?;
    let (mut bytes, mut mappings) = (0, 0);
    let mut mapping = Mapping { start: 0, end: 0 };
    each_line(file, &mut room.pages, |line| {
        if let Some(found) = mapping_of(line) {
            mapping = found;
        } else if let Some(rest) = line.strip_prefix(b"AnonHugePages:") {
            let start = rest.iter().position(u8::is_ascii_digit).unwrap_or(rest.len());
            let huge = crate::text::number(&rest[start..]) << 10;
            if huge > 0 && mappings < MAPPINGS {
                room.mappings[mappings] = mapping;
                mappings += 1;
            }
            bytes += huge;
        }
    });
    system::close(file);
    Some((bytes, mappings))
}

/// Hands over each line of a file. A line that is longer than the buffer is handed over in parts.
fn each_line(file: i32, buffer: &mut [u8], mut line: impl FnMut(&[u8])) {
    let (mut at, mut kept) = (0, 0);
    loop {
        let read = system::read_at(file, &mut buffer[kept..], at);
        at += read as u64;
        let filled = kept + read;
        let mut rest = &buffer[..filled];
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            line(&rest[..end]);
            rest = &rest[end + 1..];
        }
        if read == 0 {
            return;
        }
        kept = if rest.len() == buffer.len() { 0 } else { rest.len() };
        buffer.copy_within(filled - kept..filled, 0);
    }
}

/// The mapping that a line begins: `7f12a0000000-7f12a0200000 rw-p …`.
fn mapping_of(line: &[u8]) -> Option<Mapping> {
    let (start, rest) = hexadecimal(line)?;
    let (end, rest) = hexadecimal(rest.strip_prefix(b"-")?)?;
    (rest.first() == Some(&b' ')).then_some(Mapping { start, end })
}

fn hexadecimal(text: &[u8]) -> Option<(usize, &[u8])> {
    let digit = |byte: &u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let len = text.iter().take_while(|byte| digit(byte).is_some()).count();
    let digits = text[..len].iter().filter_map(digit);
    let number = digits.fold(0_usize, |number, digit| number.wrapping_mul(16) + usize::from(digit));
    (len > 0).then_some((number, &text[len..]))
}

/// Reads some pages of some huge pages: how many, and how many of them are zeros.
fn sample(room: &mut Room, mappings: usize, bytes: u64) -> (u64, u64) {
    let each = (bytes as usize / HUGE).div_ceil(LOOKED_INTO).max(1);
    let (mut asked, mut huge) = (0, 0);
    let (mut read, mut empty) = (0, 0);
    for mapping in 0..mappings {
        let Mapping { start, end } = room.mappings[mapping];
        for at in (start.next_multiple_of(HUGE)..end / HUGE * HUGE).step_by(HUGE) {
            asked += 1;
            if asked > ASKED {
                return (read, empty);
            }
            if !is_resident(at, &mut room.resident) {
                continue;
            }
            huge += 1;
            if huge % each == 0 && read_pages(at, huge, &mut room.pages) {
                let pages = room.pages.chunks_exact(PAGE);
                read += READ as u64;
                empty += pages.filter(|page| page.iter().all(|&byte| byte == 0)).count() as u64;
            }
        }
    }
    (read, empty)
}

/// Whether each page of a huge page is resident.
fn is_resident(at: usize, resident: &mut [u8; HUGE / PAGE]) -> bool {
    // SAFETY: the kernel writes a byte for each page.
    let answer = unsafe { libc::syscall(libc::SYS_mincore, at, HUGE, resident.as_mut_ptr()) };
    answer == 0 && resident.iter().all(|&page| page & 1 != 0)
}

/// Reads pages of a huge page that lie one in each part of it. `false`: they are gone.
fn read_pages(at: usize, seed: usize, pages: &mut [u8; READ * PAGE]) -> bool {
    const PART: usize = HUGE / READ / PAGE;
    let process = system::process();
    let own = libc::iovec { iov_base: pages.as_mut_ptr().cast(), iov_len: pages.len() };
    let parts: Range<usize> = 0..READ;
    let mut theirs = [libc::iovec { iov_base: core::ptr::null_mut(), iov_len: PAGE }; READ];
    for (part, page) in parts.zip(&mut theirs) {
        // Each time another page of the part: a program may use every sixteenth.
        // The high bits: of these multiples the low ones hardly change.
        let chance = ((seed * READ + part) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let number = part * PART + ((chance as usize * PART) >> 32);
        page.iov_base = core::ptr::with_exposed_provenance_mut(at + number * PAGE);
    }
    // The kernel reads: what another thread unmaps meanwhile is no fault.
    let call = libc::SYS_process_vm_readv;
    // SAFETY: writes into `pages`.
    let read = unsafe { libc::syscall(call, process, &raw const own, 1, theirs.as_ptr(), READ, 0) };
    read == pages.len() as libc::c_long
}
