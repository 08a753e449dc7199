//! Small traces for tests, from a few words a line.
//!
//! ```text
//! malloc a 100                 a block named a; also calloc, born; `aligned a 100 64`
//! t1 free a touched 3          thread 1, which begins here; a line without a thread is the last line's thread's
//! +5ms realloc a b 200         5 ms after the last line; without, 1 us
//! malloc c 4K at 0x1000 from 2 with an address (else one after another), and a frame
//! usable c 4096 · refused 1G · mark request · name worker · end · fork 4711 · exec /bin/true
//! map 0x7000 64K · unmap 0x7000 64K · memory 10M 2M 0 · dropped 7
//! frame 1 0 0x5000             frame 1, called by 0, returns to 0x5000
//! # a remark
//! ```

mod check;
mod raw;

use core::ops::Deref;
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

use tempfile::TempDir;

use crate::about::{About, Malloc};
use crate::packed::section::SectionWriter;
use crate::packed::{ABOUT, MAGIC, SEGMENT, VERSION};
use crate::packer::Packer;
use crate::step::{Block, Frame, How, Op, Step, Thread};
use crate::trace::Trace;

pub use check::{Seen, check};
pub use raw::Raw;

/// A trace whose file is removed when it is dropped.
#[derive(Debug)]
pub struct TestTrace {
    trace: Trace,
    _folder: TempDir,
}

impl Deref for TestTrace {
    type Target = Trace;

    fn deref(&self) -> &Trace {
        &self.trace
    }
}

/// What tests know of their process.
pub fn about() -> About {
    About {
        exe: "/usr/bin/test".into(),
        command: "test --all".into(),
        malloc: Malloc { name: "glibc".into(), path: "/lib/libc.so.6".into() },
        pid: 4711,
        parent: 1,
        page: 4096,
        start: 1_700_000_000_000_000_000,
        addresses: true,
        ..About::default()
    }
}

/// The trace that `fill` packs.
pub fn packed(about: &About, fill: impl FnOnce(&mut Packer)) -> TestTrace {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test-4711.trace");
    let mut packer = Packer::create(&path, about).unwrap();
    fill(&mut packer);
    packer.finish().unwrap();
    TestTrace { trace: Trace::open(&path).unwrap(), _folder: folder }
}

/// The trace of a script, whose words this module's documentation explains.
pub fn script(script: &str) -> TestTrace {
    packed(&about(), |packer| {
        let mut state = State::default();
        for line in script.lines().map(str::trim) {
            if !line.is_empty() && !line.starts_with('#') {
                assert!(state.line(packer, line).is_some(), "what does this line mean: {line}");
            }
        }
    })
}

/// A packed file of one segment whose columns are these bytes, whatever they mean: part 0 is the summary. For tests of bad input.
pub fn segment(path: impl AsRef<Path>, about: &About, parts: &[&[u8]]) {
    let file = SectionWriter::new(File::create(path).unwrap());
    let mut file = file.unwrap();
    file.raw(&[&MAGIC[..], &VERSION.to_le_bytes(), &[0; 4]].concat()).unwrap();
    file.section(ABOUT, &[&serde_json::to_vec(about).unwrap()]).unwrap();
    file.section(SEGMENT, parts).unwrap();
}

#[derive(Default)]
struct State {
    time: u64,
    thread: Thread,
    threads: Thread,
    blocks: HashMap<String, Block>,
    next_address: u64,
}

impl State {
    fn line(&mut self, packer: &mut Packer, line: &str) -> Option<()> {
        let mut words = line.split_whitespace().peekable();
        let mut since = 1000;
        if let Some(pause) = words.peek().and_then(|word| word.strip_prefix('+')) {
            since = nanos(pause)?;
            words.next();
        }
        let thread = words.peek().and_then(|word| word.strip_prefix('t'));
        if let Some(thread) = thread.and_then(|digits| digits.parse().ok()) {
            self.thread = thread;
            words.next();
        }
        let verb = words.next()?;
        let rest: Vec<&str> = words.collect();
        if verb == "frame" {
            let [frame, caller, ip] = rest[..] else { return None };
            let made = packer.frame(number(caller)?.try_into().ok()?, number(ip)?);
            return (u64::from(made.ok()?) == number(frame)?).then_some(());
        }
        self.time += since;
        let op = self.op(packer, verb, &rest)?;
        while self.threads <= self.thread {
            self.push(packer, self.threads, Op::ThreadStart);
            self.threads += 1;
        }
        self.push(packer, self.thread, op);
        Some(())
    }

    fn push(&self, packer: &mut Packer, thread: Thread, op: Op) {
        packer.push(&Step { time: self.time, thread, op }).unwrap();
    }

    fn op(&mut self, packer: &Packer, verb: &str, words: &[&str]) -> Option<Op> {
        let text = || words.join(" ");
        Some(match (verb, words) {
            ("malloc", _) => self.block(packer, How::Malloc, words)?,
            ("calloc", _) => self.block(packer, How::Calloc, words)?,
            ("born", _) => self.block(packer, How::Born, words)?,
            ("aligned", _) => self.block(packer, How::Aligned, words)?,
            ("realloc", &[old, ref words @ ..]) => {
                let old = self.blocks.remove(old)?;
                match self.block(packer, How::Malloc, words)? {
                    Op::Allocate { block, size, address, frame, .. } => {
                        Op::Reallocate { old, block, size, address, frame }
                    }
                    _ => return None,
                }
            }
            ("free", &[name, ..]) => {
                let touched = after(words, "touched").and_then(|pages| pages.try_into().ok());
                Op::Free { block: self.blocks.remove(name)?, touched }
            }
            ("usable", &[name, usable]) => {
                Op::UsableSize { block: *self.blocks.get(name)?, usable: number(usable)? }
            }
            ("refused", &[size]) => Op::Refused { size: number(size)? },
            ("start", []) => Op::ThreadStart,
            ("name", _) => Op::ThreadName(text()),
            ("end", []) => Op::ThreadEnd,
            ("fork", &[child]) => Op::Fork { child: number(child)?.try_into().ok()? },
            ("exec", _) => Op::Exec(text()),
            ("map", &[address, len]) => Op::Map { address: number(address)?, len: number(len)? },
            ("unmap", &[address, len]) => {
                Op::Unmap { address: number(address)?, len: number(len)? }
            }
            ("mark", _) => Op::Mark(text()),
            ("memory", &[anon, file, shmem]) => {
                Op::Memory { anon: number(anon)?, file: number(file)?, shmem: number(shmem)? }
            }
            ("dropped", &[events]) => Op::Dropped { events: number(events)? },
            _ => return None,
        })
    }

    /// The first words are its name and size, and of an aligned one what it is aligned to.
    fn block(&mut self, packer: &Packer, how: How, words: &[&str]) -> Option<Op> {
        let (block, _) = packer.next();
        let (name, size) = (*words.first()?, number(words.get(1)?)?);
        let align = if how == How::Aligned { number(words.get(2)?)? } else { 0 };
        self.next_address = self.next_address.next_multiple_of(align.max(16));
        let address = after(words, "at").unwrap_or(0x7000_0000_0000 + self.next_address);
        self.next_address += size.max(1);
        let frame: Frame = after(words, "from").unwrap_or_default().try_into().ok()?;
        self.blocks.insert(name.to_owned(), block);
        Some(Op::Allocate { block, how, size, align, address, frame })
    }
}

fn after(words: &[&str], word: &str) -> Option<u64> {
    let at = words.iter().position(|&other| other == word)?;
    number(words.get(at + 1)?)
}

/// `100`, `4K`, `2M`, `1G`, `0x1000`.
fn number(word: &str) -> Option<u64> {
    if let Some(digits) = word.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    let (digits, shift) = match word.as_bytes().last()? {
        b'K' => (&word[..word.len() - 1], 10),
        b'M' => (&word[..word.len() - 1], 20),
        b'G' => (&word[..word.len() - 1], 30),
        _ => (word, 0),
    };
    Some(digits.parse::<u64>().ok()? << shift)
}

/// `5ms`, `3us`, `1s`, `7ns`.
fn nanos(word: &str) -> Option<u64> {
    let units = [("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
    let (digits, unit) =
        units.iter().find_map(|&(name, unit)| Some((word.strip_suffix(name)?, unit)))?;
    Some(digits.parse::<u64>().ok()? * unit)
}

#[cfg(test)]
mod tests;
