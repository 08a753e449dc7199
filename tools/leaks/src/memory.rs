//! What is in a process's memory, read a piece at a time; pages that were never touched are not, as reading would make them.

use core::ops::Range;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

const PIECE: usize = 256 << 10;
const KEPT: usize = 256;
/// Of a page: it is there, or has been swapped out.
const IS_THERE: u64 = 0b11 << 62;

#[derive(Debug)]
pub(crate) struct Memory {
    memory: File,
    pages: File,
    page: usize,
    /// By address, and whether pages were passed over.
    kept: HashMap<(u64, bool), Box<[u64]>>,
}

impl Memory {
    /// The memory of a process, in pages of so many bytes.
    pub(crate) fn of(process: u32, page: u32) -> io::Result<Self> {
        let open = |name| File::open(format!("/proc/{process}/{name}"));
        let page = usize::try_from(page).unwrap_or_default().clamp(4096, PIECE);
        Ok(Self { memory: open("mem")?, pages: open("pagemap")?, page, kept: HashMap::new() })
    }

    /// The words of a range, and only those.
    pub(crate) fn words(&mut self, range: Range<u64>) -> io::Result<Vec<u64>> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or_default()];
        self.memory.read_exact_at(&mut bytes, range.start)?;
        Ok(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }

    /// Gives the aligned words of a range to `each`. `skips`: pages that were never touched are passed over, which only those of no
    /// file may be. What cannot be read is passed over too.
    pub(crate) fn each_word(&mut self, range: Range<u64>, skips: bool, mut each: impl FnMut(u64)) {
        self.each_word_at(range, skips, |_, word| each(word));
    }

    /// The same with the address of each.
    pub(crate) fn each_word_at(
        &mut self,
        range: Range<u64>,
        skips: bool,
        mut each: impl FnMut(u64, u64),
    ) {
        let (start, end) = (range.start.next_multiple_of(8), range.end & !7);
        let mut at = start;
        while at < end {
            let piece = at & !(PIECE as u64 - 1);
            let next = (piece + PIECE as u64).min(end);
            let words = self.piece(piece, skips);
            let place = |at: u64| usize::try_from((at - piece) / 8).unwrap_or_default();
            let words = words.get(place(at)..place(next)).unwrap_or_default();
            for (&word, at) in words.iter().zip((at..).step_by(8)).filter(|(word, _)| **word != 0) {
                each(at, word);
            }
            at = next;
        }
    }

    /// The piece at an address; nothing if nothing is there.
    fn piece(&mut self, piece: u64, skips: bool) -> &[u64] {
        let key = (piece, skips);
        if !self.kept.contains_key(&key) {
            if self.kept.len() >= KEPT {
                self.kept.clear();
            }
            let words = self.read(piece, skips);
            self.kept.insert(key, words);
        }
        &self.kept[&key]
    }

    fn read(&self, piece: u64, skips: bool) -> Box<[u64]> {
        let is_there = if skips { self.which_pages(piece) } else { vec![true; PIECE / self.page] };
        if !is_there.contains(&true) {
            return Box::default();
        }
        let mut bytes = vec![0; PIECE];
        let is_whole = !is_there.contains(&false);
        if !is_whole || self.memory.read_exact_at(&mut bytes, piece).is_err() {
            // A page at a time: some are not there, or not mapped.
            let pages = bytes.chunks_mut(self.page).zip((piece..).step_by(self.page));
            for ((page, at), is_there) in pages.zip(is_there) {
                if !is_there || self.memory.read_exact_at(page, at).is_err() {
                    page.fill(0);
                }
            }
        }
        bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
    }

    fn which_pages(&self, piece: u64) -> Vec<bool> {
        let mut entries = vec![0; PIECE / self.page * 8];
        // What cannot be told is read.
        if self.pages.read_exact_at(&mut entries, piece / self.page as u64 * 8).is_err() {
            entries.fill(0xff);
        }
        let entries = entries.as_chunks().0.iter();
        entries.map(|entry| u64::from_le_bytes(*entry) & IS_THERE != 0).collect()
    }
}
