//! Delta debugging: the smallest program that still fails.
//!
//! Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002: leave chunks
//! out, halving them; then make what is left simpler, one operation at a time; until nothing helps.
use crate::program::{Op, Program};

/// Shrinks `program`, which fails, as long as `fails` says the smaller one fails too, and asks at
/// most `most` times.
pub fn shrink(program: &Program, most: usize, fails: impl FnMut(&Program) -> bool) -> Program {
    let mut search = Search { best: program.ops.clone(), left: most, fails };
    loop {
        let before = search.best.clone();
        search.drop_chunks();
        search.simplify();
        search.renumber();
        if search.best == before || search.left == 0 {
            return Program { ops: search.best };
        }
    }
}

struct Search<F> {
    best: Vec<Op>,
    left: usize,
    fails: F,
}

impl<F: FnMut(&Program) -> bool> Search<F> {
    fn keep(&mut self, ops: Vec<Op>) -> bool {
        if self.left == 0 || ops == self.best {
            return false;
        }
        self.left -= 1;
        let candidate = Program { ops };
        let fails = (self.fails)(&candidate);
        if fails {
            self.best = candidate.ops;
        }
        fails
    }

    /// Leaves chunks out from the end backwards: what follows the failure goes first.
    fn drop_chunks(&mut self) {
        let mut chunk = self.best.len().div_ceil(2);
        while chunk > 0 {
            let mut end = self.best.len();
            while end > 0 {
                let start = end.saturating_sub(chunk);
                let mut ops = self.best.clone();
                ops.drain(start..end);
                self.keep(ops);
                end = start;
            }
            chunk /= 2;
        }
    }

    /// Plainer operations and smaller sizes.
    fn simplify(&mut self) {
        for i in 0..self.best.len() {
            while simpler(self.best[i]).into_iter().any(|op| {
                let mut ops = self.best.clone();
                ops[i] = op;
                self.keep(ops)
            }) {}
        }
    }

    /// Slots from 0 up, in order of appearance.
    fn renumber(&mut self) {
        let mut seen = Vec::new();
        let mut ops = self.best.clone();
        for op in &mut ops {
            let Some(slot) = op.slot() else { continue };
            let place = seen.iter().position(|&s| s == slot).unwrap_or_else(|| {
                seen.push(slot);
                seen.len() - 1
            });
            *op = op.at(u32::try_from(place).expect("there are no more slots than before"));
        }
        self.keep(ops);
    }
}

/// What is simpler than `op`, the simplest first; nothing in the list leads back to `op`.
fn simpler(op: Op) -> Vec<Op> {
    match op {
        Op::Malloc { slot, size } => {
            sizes(size).into_iter().map(|size| Op::Malloc { slot, size }).collect()
        }
        Op::Calloc { slot, count, size } => {
            let mut ops = vec![Op::Malloc { slot, size: count.saturating_mul(size) }];
            if let (Some(size), true) = (count.checked_mul(size), count > 1) {
                ops.push(Op::Calloc { slot, count: 1, size });
            }
            ops.extend(sizes(size).into_iter().map(|size| Op::Calloc { slot, count, size }));
            ops
        }
        Op::Aligned { slot, align, size } => {
            let mut ops = vec![Op::Malloc { slot, size }];
            if align > 1 {
                ops.push(Op::Aligned { slot, align: align / 2, size });
            }
            ops.extend(sizes(size).into_iter().map(|size| Op::Aligned { slot, align, size }));
            ops
        }
        Op::Realloc { slot, size } => {
            let mut ops = vec![Op::Malloc { slot, size }];
            ops.extend(sizes(size).into_iter().map(|size| Op::Realloc { slot, size }));
            ops
        }
        Op::FreeSized { slot } => vec![Op::Free { slot }],
        _ => Vec::new(),
    }
}

/// Smaller sizes worth a try: round ones, then less by a half, a quarter, … and at last by one, so
/// that a limit anywhere is reached in few steps.
fn sizes(size: usize) -> Vec<usize> {
    let shifts = 1..=size.checked_ilog2().unwrap_or(0);
    let less = shifts.map(|shift| size - (size >> shift));
    let mut sizes: Vec<usize> = [0, 1, 16, size / 16].into_iter().chain(less).collect();
    sizes.retain(|&smaller| smaller < size);
    sizes
}

#[cfg(test)]
mod tests;
