//! What the command asks for, in the variable `HEAPWRIGHT_RECORD`.
//!
//! ```text
//! max=4294967296;ring=1;for=60000000000;children=exec;parent=4711;name=jemalloc;stacks=sampled;events=sampled;interval=524288;seed=1;copy=1;porter=0123…;dir=/absolute/folder
//!                                                                      dir comes last and may hold anything
//! ```

use crate::{environment, text};

/// The variable.
const NAME: &[u8] = b"HEAPWRIGHT_RECORD";
/// The longest value.
const LONGEST: usize = 2048;
/// The longest name that stays from one recording to the next: what is asked for then is 2,000 bytes at most.
const LONGEST_NAME: usize = 48;

/// Which of the program's children are recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Children {
    /// All.
    All,
    /// Those that become another program.
    Exec,
    /// None: this process is recorded only if this is its parent.
    Of(u32),
}

/// Of which allocations call stacks are recorded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stacks {
    /// Of none.
    Off,
    /// Of a sample.
    Sampled,
    /// Of all.
    All,
}

/// What is asked for.
pub struct Options {
    /// The most bytes of a file.
    pub max: u64,
    /// Old chunks make room for new ones.
    pub ring: bool,
    /// Nanoseconds that are recorded; 0: all.
    pub time: u64,
    /// Wait until another process asks for more.
    pub armed: bool,
    /// Which children.
    pub children: Children,
    /// Of which allocations there are call stacks.
    pub stacks: Stacks,
    /// Of allocations that have no stack nothing is recorded, nor of their frees.
    pub only_sampled: bool,
    /// Bytes between two points of the sample, in the mean.
    pub interval: u64,
    /// Whether a copy of the process is left at its end.
    pub copy: bool,
    /// What the sample's chance begins with; 0: with the clock.
    pub seed: u64,
    value: [u8; LONGEST],
    name: (usize, usize),
    porter: (usize, usize),
    folder: (usize, usize),
}

impl Options {
    /// Nothing is asked for.
    pub const NONE: Self = Self {
        max: u64::MAX,
        ring: false,
        time: 0,
        armed: false,
        children: Children::All,
        stacks: Stacks::Off,
        only_sampled: false,
        interval: 512 << 10,
        copy: false,
        seed: 0,
        value: [0; LONGEST],
        name: (0, 0),
        porter: (0, 0),
        folder: (0, 0),
    };

    /// The folder for the files; empty: nothing is asked for.
    pub fn folder(&self) -> &[u8] {
        &self.value[self.folder.0..self.folder.1]
    }

    /// What the command calls the allocator, or nothing.
    pub fn name(&self) -> &[u8] {
        &self.value[self.name.0..self.name.1]
    }

    /// The key of who makes files where this process may not, or nothing: see `porter`.
    pub fn porter(&self) -> &[u8] {
        &self.value[self.porter.0..self.porter.1]
    }

    /// Reads the variable.
    pub fn read(&mut self) {
        let len = environment::read(NAME, &mut self.value);
        self.parse(len);
    }

    /// The same from a text. If that has no name, the one from before stays.
    pub fn take(&mut self, text: &[u8]) {
        let mut before = [0; LONGEST_NAME];
        let name_len = self.name().len().min(LONGEST_NAME);
        before[..name_len].copy_from_slice(&self.name()[..name_len]);
        *self = Self::NONE;
        let len = text.len().min(LONGEST - LONGEST_NAME);
        self.value[..len].copy_from_slice(&text[..len]);
        self.parse(len);
        if self.name().is_empty() {
            self.value[len..len + name_len].copy_from_slice(&before[..name_len]);
            self.name = (len, len + name_len);
        }
    }

    fn parse(&mut self, len: usize) {
        let mut at = 0;
        while at < len {
            let is_folder = self.value[at..len].starts_with(b"dir=");
            let rest = &self.value[at..len];
            let end = rest.iter().position(|&byte| byte == b';' && !is_folder);
            let end = end.map_or(len, |end| at + end);
            self.set(at, end);
            at = end + 1;
        }
    }

    fn set(&mut self, at: usize, end: usize) {
        let item = &self.value[at..end];
        let Some(equals) = item.iter().position(|&byte| byte == b'=') else { return };
        let (key, value) = (&item[..equals], &item[equals + 1..]);
        match key {
            b"max" => self.max = text::number(value),
            b"for" => self.time = text::number(value),
            b"armed" => self.armed = value == b"1",
            b"ring" => self.ring = value == b"1",
            b"children" if value == b"exec" => self.children = Children::Exec,
            b"parent" => self.children = Children::Of(text::number(value) as u32),
            b"stacks" if value == b"all" => self.stacks = Stacks::All,
            b"stacks" if value == b"sampled" => self.stacks = Stacks::Sampled,
            // Other processors have no stacks, so a sample would be of nothing.
            b"events" if cfg!(target_arch = "x86_64") => self.only_sampled = value == b"sampled",
            b"interval" => self.interval = text::number(value),
            b"copy" => self.copy = value == b"1",
            b"seed" => self.seed = text::number(value),
            b"name" => self.name = (at + equals + 1, end),
            b"porter" => self.porter = (at + equals + 1, end),
            b"dir" => self.folder = (at + equals + 1, end),
            _ => {}
        }
    }
}
