//! What is told of a process's leaks.

use std::collections::HashMap;

use serde::Serialize;
use symbols::Names;
use trace::{About, Frame, Frames};

use crate::blocks::Blocks;
use crate::mark::Fate;
use crate::suppress::Suppressions;

const DEPTH: usize = 12;

/// Blocks and their bytes, as requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Amount {
    pub blocks: u64,
    pub bytes: u64,
}

impl Amount {
    fn add(&mut self, bytes: u64) {
        self.blocks += 1;
        self.bytes += bytes;
    }

    fn add_all(&mut self, other: Self) {
        self.blocks += other.blocks;
        self.bytes += other.bytes;
    }
}

/// Lost blocks that were allocated at one place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Leak {
    pub lost: Amount,
    /// Those that only they point to.
    pub behind: Amount,
    /// The functions that allocated them, innermost first: `parse (parse.c:12)`.
    pub stack: Vec<String>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct Leaks {
    pub command: String,
    pub process: u32,
    pub reachable: Amount,
    pub lost: Amount,
    /// Blocks that only those point to.
    pub behind: Amount,
    /// Lost blocks, and those behind them, that a suppression is of.
    pub suppressed: Amount,
    /// The lost ones by place, those with most bytes first.
    pub leaks: Vec<Leak>,
    pub notes: Vec<String>,
}

impl Leaks {
    pub fn any(&self) -> bool {
        self.lost.blocks > 0
    }

    pub(crate) fn of(
        about: &About,
        blocks: &Blocks,
        fates: &[Fate],
        stacks: (&Frames, &Names),
        suppressions: &Suppressions,
    ) -> Self {
        let mut all =
            Self { command: about.command.clone(), process: about.pid, ..Self::default() };
        let mut by_frame: HashMap<Frame, (Amount, Amount)> = HashMap::new();
        for (block, fate) in blocks.all().iter().zip(fates) {
            match *fate {
                Fate::Reachable => all.reachable.add(block.size),
                Fate::Lost => by_frame.entry(block.frame).or_default().0.add(block.size),
                Fate::Behind(leader) => {
                    by_frame.entry(blocks.all()[leader].frame).or_default().1.add(block.size);
                }
            }
        }
        let mut by_stack: HashMap<Vec<String>, Leak> = HashMap::new();
        for (frame, (lost, behind)) in by_frame {
            let stack = Stack { stacks, frame, malloc: &about.malloc.path };
            if suppressions.hide(stack.words().iter().map(String::as_str)) {
                all.suppressed.add_all(lost);
                all.suppressed.add_all(behind);
                continue;
            }
            all.lost.add_all(lost);
            all.behind.add_all(behind);
            let stack = stack.functions();
            let leak = by_stack.entry(stack.clone()).or_insert(Leak { stack, ..Leak::default() });
            leak.lost.add_all(lost);
            leak.behind.add_all(behind);
        }
        all.leaks = by_stack.into_values().collect();
        all.leaks.sort_by(|a, b| {
            let bytes = |leak: &Leak| leak.lost.bytes + leak.behind.bytes;
            bytes(b).cmp(&bytes(a)).then_with(|| a.stack.cmp(&b.stack))
        });
        all
    }
}

struct Stack<'a> {
    stacks: (&'a Frames, &'a Names),
    frame: Frame,
    malloc: &'a str,
}

impl Stack<'_> {
    /// Functions as people read them, from the innermost that is not a library's on.
    fn functions(&self) -> Vec<String> {
        if self.frame == 0 {
            return Vec::new();
        }
        let (frames, names) = self.stacks;
        let mut path = [symbols::Site::default(); DEPTH];
        let len = names.path(frames.stack(self.frame), self.malloc, &mut path);
        path[..len].iter().map(|site| names.site_name(*site)).collect()
    }

    /// Every function, file and module of it.
    fn words(&self) -> Vec<String> {
        let (frames, names) = self.stacks;
        let mut words = Vec::new();
        for ip in frames.stack(self.frame) {
            words.extend(names.module(ip).map(|(module, _)| module.to_owned()));
            words.extend(
                names
                    .at(ip)
                    .flat_map(|symbol| [symbol.function.to_owned(), symbol.file.to_owned()]),
            );
        }
        words.retain(|word| !word.is_empty());
        words
    }
}
