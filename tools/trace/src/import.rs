//! heaptrack's recordings as packed traces: a line an event, numbers in hexadecimal digits. Its own two forms are told apart by
//! their events.
//!
//! ```text
//! v 10400 3           heaptrack 1.4.0, version 3 of the format
//! X app --flag        the command         I 1000 5e298f    a page's bytes, pages of memory
//! c 1f                31 ms have passed   R 400            pages resident
//!
//! as it is written at last                as it is recorded, with --raw
//! s 5 hello           a string, 5 bytes   m 2a /lib/libc.so.6 BASE FROM LEN …   segments of a module
//! i 7f00 1 2 3 9      an address          t 7f00 2         a frame: address, caller
//! t 1 2               a frame of it       + 20 3 55d0      32 bytes, from frame 3, at 0x55d0
//! a 20 3              32 bytes, frame 3   - 55d0           freed
//! + 0                 such a block
//! - 0                 one of those freed
//! ```
//!
//! What any other letter begins is passed over.

mod lines;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fs, io};

use symbols::Symbol;

use self::lines::Lines;
use crate::about::{About, Module};
use crate::addresses::{Addresses, Found, LARGEST};
use crate::error::TraceError;
use crate::packer::{Packed, Packer};
use crate::step::{Block, Frame, How, Op, Step};

/// The newest version of the format that is known.
const NEWEST: u32 = 3;
/// An event's text.
const EVENT: &str = "an event of heaptrack that cannot be read";

/// A kind of blocks: of this size, from this frame, and those of them that are live.
#[derive(Debug)]
struct Kind {
    size: u64,
    frame: Frame,
    live: Vec<Block>,
}

#[derive(Debug)]
struct Import {
    packer: Packer,
    /// Nanoseconds.
    time: u64,
    page: u64,
    ips: Vec<u64>,
    strings: Vec<String>,
    frames: Vec<Frame>,
    kinds: Vec<Kind>,
    live: Addresses,
    /// When the recording was written, as its file says.
    ended: Option<SystemTime>,
    /// The recorded program, as a module without a name stands for it.
    exe: String,
}

/// Packs a recording of heaptrack, compressed or not, beneath `packed`.
///
/// What it has is taken over: the order of calls, sizes, times to the millisecond, call stacks; addresses where it was recorded
/// with `--raw`. Which of several equal blocks was freed is not in the other files: the youngest is taken. Threads are not in
/// it at all.
/// Errors: it is none, of a newer version, or cannot be read; the trace cannot be written.
pub fn import(recording: &Path, packed: &Path) -> Result<Packed, TraceError> {
    let mut lines = Lines::open(recording).map_err(TraceError::io(recording))?;
    check_version(recording, &mut lines)?;
    // Whether there are addresses is known with the first allocation, and has to be known before the first step.
    let has_addresses = has_addresses(recording)?;
    let notes = vec!["imported=heaptrack".to_owned()];
    let about = About { addresses: has_addresses, page: 4096, notes, ..About::default() };
    let mut import = Import {
        packer: Packer::create(packed, &about)?,
        time: 0,
        page: 4096,
        ips: Vec::new(),
        strings: Vec::new(),
        ended: ended(recording),
        frames: Vec::new(),
        kinds: Vec::new(),
        live: Addresses::new(),
        exe: String::new(),
    };
    loop {
        match lines.next() {
            Ok(None) => break,
            Ok(Some((at, line))) => import.line(at, line)?,
            // The recorded program was killed, or its disk was full: what is there is taken.
            Err(error) if is_cut(&error) => {
                import.packer.about_mut().missing.cut = 1;
                break;
            }
            Err(error) => return Err(TraceError::io(recording)(error)),
        }
    }
    // The file's time is that of the recording's end, if the file was not copied since.
    if let Some(ended) = import.ended.and_then(|ended| ended.duration_since(UNIX_EPOCH).ok()) {
        let ended = u64::try_from(ended.as_nanos()).unwrap_or_default();
        import.packer.about_mut().start = ended.saturating_sub(import.time);
    }
    import.packer.finish()
}

fn ended(recording: &Path) -> Option<SystemTime> {
    fs::metadata(recording).and_then(|meta| meta.modified()).ok()
}

fn is_cut(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, Other, UnexpectedEof};
    matches!(error.kind(), UnexpectedEof | InvalidData | InvalidInput | Other)
}

fn check_version(path: &Path, lines: &mut Lines) -> Result<(), TraceError> {
    let foreign = || TraceError::Foreign { path: path.to_owned() };
    let is_packed = lines.is_packed;
    let first = match lines.next() {
        Ok(first) => first,
        Err(error) if is_cut(&error) && is_packed => {
            let what = format!("not even its first line can be unpacked: {error}");
            return Err(TraceError::damaged(path, 0, what));
        }
        Err(error) if is_cut(&error) => return Err(foreign()),
        Err(error) => return Err(TraceError::io(path)(error)),
    };
    let (_, line) = first.ok_or_else(foreign)?;
    let mut words = words(line).filter(|_| line.starts_with(b"v "));
    let (_, version) = (words.next().and_then(hex), words.next());
    // Files before version 1 of the format have the program's version alone.
    let version = version.map_or(Some(0), hex).ok_or_else(foreign)?;
    if !line.starts_with(b"v ") {
        return Err(foreign());
    }
    if version > u64::from(NEWEST) {
        let found = u32::try_from(version).unwrap_or(u32::MAX);
        return Err(TraceError::Newer { path: path.to_owned(), found, known: NEWEST });
    }
    Ok(())
}

/// Whether the first allocation says where it is.
fn has_addresses(path: &Path) -> Result<bool, TraceError> {
    let mut lines = Lines::open(path).map_err(TraceError::io(path))?;
    while let Ok(Some((_, line))) = lines.next() {
        if line.starts_with(b"+ ") {
            return Ok(words(line).count() >= 3);
        }
    }
    Ok(false)
}

/// The words behind a line's letter.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.get(2..).unwrap_or_default().split(|byte| *byte == b' ').filter(|word| !word.is_empty())
}

fn hex(word: &[u8]) -> Option<u64> {
    u64::from_str_radix(core::str::from_utf8(word).ok()?, 16).ok()
}

/// A string behind its length, and what follows it.
fn text(line: &[u8]) -> Option<(String, &[u8])> {
    let rest = line.get(2..)?;
    let space = rest.iter().position(|byte| *byte == b' ')?;
    let len = usize::try_from(hex(&rest[..space])?).ok()?;
    let (text, rest) = rest[space + 1..].split_at_checked(len)?;
    Some((String::from_utf8_lossy(text).into_owned(), rest))
}

impl Import {
    fn line(&mut self, at: u64, line: &[u8]) -> Result<(), TraceError> {
        let numbers: Vec<u64> = match line.first() {
            Some(b'i') => words(line).map_while(hex).collect(),
            Some(b'I' | b'c' | b'R' | b't' | b'a' | b'+' | b'-') => {
                words(line).map_while(hex).take(3).collect()
            }
            _ => Vec::new(),
        };
        let known = match (line.first(), &numbers[..]) {
            (Some(b'I'), [page, ..]) => self.set_page(*page),
            (Some(b'c'), [time]) => {
                self.time = self.time.max(time.saturating_mul(1_000_000));
                true
            }
            (Some(b'R'), [pages]) => {
                let anon = pages.saturating_mul(self.page);
                return self.push(Op::Memory { anon, file: 0, shmem: 0 });
            }
            (Some(b'i'), [ip, known @ ..]) => {
                self.ips.push(*ip);
                self.name(*ip, known);
                true
            }
            (Some(b't'), [ip, caller]) => return self.frame(at, *ip, *caller),
            (Some(b'a'), [size, frame]) => {
                let frame = self.known(*frame);
                self.kinds.push(Kind { size: LARGEST.min(*size), frame, live: Vec::new() });
                true
            }
            (Some(b'+'), [size, frame, address]) => {
                return self.allocate_at(LARGEST.min(*size), *frame, *address);
            }
            (Some(b'-'), [address]) if self.packer.about_mut().addresses => {
                return self.free_at(*address);
            }
            (Some(b'+'), [kind]) => return self.allocate(at, *kind),
            (Some(b'-'), [kind]) => return self.free(at, *kind),
            (Some(b'I' | b'c' | b'R' | b'i' | b't' | b'a' | b'+' | b'-'), _) => false,
            (Some(b's'), _) => {
                // Before version 3 of the format a string has no length in front of it.
                let string = match text(line) {
                    Some((string, b"")) => string,
                    _ => String::from_utf8_lossy(line.get(2..).unwrap_or_default()).into_owned(),
                };
                self.strings.push(string);
                true
            }
            (Some(b'X'), _) => {
                let command = String::from_utf8_lossy(line.get(2..).unwrap_or_default());
                let about = self.packer.about_mut();
                about.exe = command.split(' ').next().unwrap_or_default().to_owned();
                about.command = command.into_owned();
                true
            }
            (Some(b'x'), _) => {
                self.exe = text(line).map_or_else(String::new, |(exe, _)| exe);
                true
            }
            (Some(b'm'), _) => self.module(line),
            _ => true,
        };
        if !known {
            self.damage(at);
        }
        Ok(())
    }

    fn damage(&mut self, at: u64) {
        self.packer.about_mut().missing.damage(at, EVENT);
    }

    /// What heaptrack found of an address: its module, and then functions: name, file and line, from the innermost on.
    /// The last may have a name alone. All but the line are numbers of strings.
    fn name(&mut self, ip: u64, known: &[u64]) {
        let string = |number: Option<&u64>| {
            let place = usize::try_from(*number?).ok()?.checked_sub(1)?;
            self.strings.get(place).map(String::as_str)
        };
        let functions = known.get(1..).unwrap_or_default().chunks(3).map(|words| Symbol {
            function: string(words.first()).unwrap_or_default(),
            file: string(words.get(1)).unwrap_or_default(),
            line: words.get(2).and_then(|&line| u32::try_from(line).ok()).unwrap_or_default(),
        });
        self.packer.name(ip, string(known.first()).unwrap_or_default(), functions);
    }

    fn set_page(&mut self, page: u64) -> bool {
        let Some(small) = u32::try_from(page).ok().filter(|page| page.is_power_of_two()) else {
            return false;
        };
        self.page = page;
        self.packer.about_mut().page = small;
        true
    }

    fn push(&mut self, op: Op) -> Result<(), TraceError> {
        self.add(op, 0)
    }

    fn free_block(&mut self, block: Block, size: u64) -> Result<(), TraceError> {
        self.add(Op::Free { block, touched: None }, size)
    }

    fn add(&mut self, op: Op, gone: u64) -> Result<(), TraceError> {
        self.packer.add(&Step { time: self.time, thread: 0, op }, gone)
    }

    /// A frame by heaptrack's number: 1 is the first.
    fn known(&self, number: u64) -> Frame {
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        place.and_then(|place| self.frames.get(place).copied()).unwrap_or(0)
    }

    fn frame(&mut self, at: u64, ip: u64, caller: u64) -> Result<(), TraceError> {
        let ip = if self.packer.about_mut().addresses {
            ip
        } else {
            let place = usize::try_from(ip).ok().and_then(|number| number.checked_sub(1));
            let Some(ip) = place.and_then(|place| self.ips.get(place)) else {
                self.damage(at);
                // The numbers of later frames count it.
                self.frames.push(0);
                return Ok(());
            };
            *ip
        };
        let frame = self.packer.frame(self.known(caller), ip)?;
        self.frames.push(frame);
        Ok(())
    }

    fn allocated(&mut self, size: u64, address: u64, frame: Frame) -> Result<Block, TraceError> {
        let (block, _) = self.packer.next();
        self.push(Op::Allocate { block, how: How::Malloc, size, align: 0, address, frame })?;
        Ok(block)
    }

    fn allocate_at(&mut self, size: u64, frame: u64, address: u64) -> Result<(), TraceError> {
        if let Found::Live(before, size) = self.live.remove(address) {
            self.packer.about_mut().missing.unseen_frees += 1;
            self.free_block(before, size)?;
        }
        let block = self.allocated(size, address, self.known(frame))?;
        self.live.insert(address, block, size);
        Ok(())
    }

    /// heaptrack writes frees of blocks that it does not know, such as those from before it was attached: they are passed over.
    fn free_at(&mut self, address: u64) -> Result<(), TraceError> {
        match self.live.remove(address) {
            Found::Live(block, size) => self.free_block(block, size),
            _ => Ok(()),
        }
    }

    fn allocate(&mut self, at: u64, kind: u64) -> Result<(), TraceError> {
        let place = usize::try_from(kind).unwrap_or(usize::MAX);
        let Some((size, frame)) = self.kinds.get(place).map(|kind| (kind.size, kind.frame)) else {
            self.damage(at);
            return Ok(());
        };
        let block = self.allocated(size, 0, frame)?;
        self.kinds[place].live.push(block);
        Ok(())
    }

    fn free(&mut self, at: u64, kind: u64) -> Result<(), TraceError> {
        let place = usize::try_from(kind).unwrap_or(usize::MAX);
        let kind = self.kinds.get_mut(place);
        match kind.and_then(|kind| Some((kind.live.pop()?, kind.size))) {
            Some((block, size)) => self.free_block(block, size),
            None => {
                self.damage(at);
                Ok(())
            }
        }
    }

    /// `m LEN PATH BASE FROM LEN …`; `m 1 -` forgets those before; a path `x` is the program's own.
    fn module(&mut self, line: &[u8]) -> bool {
        let Some((path, rest)) = text(line) else { return false };
        let modules = &mut self.packer.about_mut().modules;
        if path == "-" {
            modules.clear();
            return true;
        }
        let numbers: Option<Vec<u64>> = words(&[b"  ", rest].concat()).map(hex).collect();
        let Some([base, segments @ ..]) = numbers.as_deref() else { return false };
        let path = if path == "x" { self.exe.clone() } else { path };
        // heaptrack has no build ids: that of the file as it is now, if it was not changed since.
        let changed = fs::metadata(&path).and_then(|meta| meta.modified()).ok();
        let is_it = changed.zip(self.ended).is_some_and(|(changed, ended)| changed <= ended);
        let build_id = is_it.then(|| symbols::build_id_of(Path::new(&path))).flatten();
        let build_id = build_id.unwrap_or_default();
        for segment in segments.chunks_exact(2) {
            let start = base.saturating_add(segment[0]);
            let end = start.saturating_add(segment[1]);
            let (path, build_id) = (path.clone(), build_id.clone());
            modules.push(Module { start, end, offset: 0, base: Some(*base), path, build_id });
        }
        true
    }
}

#[cfg(test)]
mod tests;
