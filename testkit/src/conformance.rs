//! The conformance suite: what any `Malloc` must do, one rule at a time.
//!
//! Every rule starts on a fresh allocator. Most are programs run under the shadow model, so they
//! find more than they are named for.
use core::fmt;

use base::{Check, Malloc};

use crate::program::{Op, Program};
use crate::report::Report;
use crate::run::{Options, run};
use crate::subject::Subject;

mod footprint;
mod random;
mod sizes;
mod threads;

pub type Lend<'a> = dyn Fn(&mut dyn FnMut(&Subject<'_>)) + 'a;

/// One thing that any `Malloc` must do.
#[derive(Clone, Copy)]
pub struct Rule {
    pub name: &'static str,
    pub says: &'static str,
    /// `Err` says what does not.
    test: fn(&Lend<'_>) -> Result<(), String>,
}

impl Rule {
    /// Whether it counts the addresses that blocks are on: what others free meanwhile may be handed out to it.
    pub fn counts_addresses(&self) -> bool {
        matches!(self.name, "reuse" | "producer" | "short-lived")
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule").field("name", &self.name).finish_non_exhaustive()
    }
}

#[rustfmt::skip]
pub const RULES: &[Rule] = &[
    Rule { name: "null", says: "null is freed, sized and resized like any pointer", test: sizes::null },
    Rule { name: "zero", says: "blocks of no bytes have addresses of their own", test: sizes::zero },
    Rule { name: "impossible", says: "sizes that cannot exist give null and change nothing", test: sizes::impossible },
    Rule { name: "alignment", says: "every power of two to 4 MiB is kept", test: sizes::alignment },
    Rule { name: "sizes", says: "every size to 40 KiB is served and freed", test: sizes::every_size },
    Rule { name: "sized-free", says: "a block is freed by its size as well", test: sizes::sized_free },
    Rule { name: "usable", says: "the usable bytes are at least those asked for, and ours", test: sizes::usable },
    Rule { name: "realloc", says: "growing and shrinking keep the contents", test: sizes::realloc },
    Rule { name: "calloc", says: "the bytes are zero, those of used memory too", test: sizes::calloc },
    Rule { name: "many", says: "200,000 live blocks are apart", test: sizes::many },
    Rule { name: "kept", says: "programs that once failed run", test: random::kept },
    Rule { name: "random", says: "random programs of every distribution run", test: random::alone },
    Rule { name: "reuse", says: "freed memory is used again", test: footprint::reuse },
    Rule { name: "turns", says: "threads that take turns share blocks", test: random::in_turn },
    Rule { name: "at-once", says: "threads at once hand blocks over", test: random::at_once },
    Rule { name: "producer", says: "one thread allocates, another frees, memory is used again", test: footprint::producer },
    Rule { name: "exit", says: "a thread's blocks outlive it", test: threads::exit },
    Rule { name: "short-lived", says: "many short threads leave nothing behind", test: footprint::short_lived },
];

/// Runs every rule on what `make` makes, with `check` around every operation of the smaller programs.
pub fn conformance<M: Malloc + Check>(make: impl Fn() -> M) -> Report {
    let lend = |rule: &mut dyn FnMut(&Subject<'_>)| {
        let malloc = make();
        rule(&Subject::new(&malloc).with_check(&malloc));
    };
    conformance_some(&lend, |_| true)
}

/// Runs the rules that `chosen` says on subjects that `lend` makes: allocators that borrow their source.
pub fn conformance_some(lend: &Lend<'_>, chosen: impl Fn(&Rule) -> bool) -> Report {
    let mut report = Report::new("malloc");
    for rule in RULES.iter().filter(|rule| chosen(rule)) {
        report.rule(rule.name, rule.says, || (rule.test)(lend));
    }
    report
}

/// A fresh subject for `f`, and what it says.
fn fresh<R>(
    lend: &Lend<'_>,
    mut f: impl FnMut(&Subject<'_>) -> Result<R, String>,
) -> Result<R, String> {
    let mut result = Err("no subject was lent".to_string());
    lend(&mut |subject| result = f(subject));
    result
}

/// Runs `ops` on a fresh subject, with `check` after every `check_every` of them.
fn program(lend: &Lend<'_>, ops: Vec<Op>, check_every: usize) -> Result<(), String> {
    let program = Program { ops };
    fresh(lend, |subject| {
        let options = Options { check_every, ..Options::default() };
        run(subject, &program, &options).map(|_| ()).map_err(|failure| failure.to_string())
    })
}

#[cfg(test)]
mod tests;
