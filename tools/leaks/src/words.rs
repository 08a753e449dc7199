//! The leaks of a process in plain words.

use core::fmt::Write as _;

use show::number::bytes;
use show::text::{many, visible, wrapped};

use crate::report::{Amount, Leaks};

/// Leaks that are told with their stacks.
const TOLD: usize = 20;
const FUNCTIONS: usize = 6;

/// The page: what was lost and where it was allocated, in lines of this width.
pub fn words(leaks: &Leaks, width: Option<usize>) -> String {
    let mut page = String::new();
    let mut line = |text: String| {
        let indent = if text.starts_with(' ') { 5 } else { 3 };
        // A string takes all that is written to it.
        let _ = writeln!(page, "{}", wrapped(&text, indent, width));
    };
    let who = format!("{} (process {})", visible(&leaks.command), leaks.process);
    if leaks.any() {
        line(format!("{who} lost {}: nothing points to them any more.", amount(leaks.lost)));
    } else {
        line(format!("{who} lost nothing."));
    }
    if leaks.behind.blocks > 0 {
        line(format!("Behind them, reached by lost blocks only: {}.", amount(leaks.behind)));
    }
    line(format!("Reachable when it ended: {}.", amount(leaks.reachable)));
    if leaks.suppressed.blocks > 0 {
        line(format!("Suppressed: {}.", amount(leaks.suppressed)));
    }
    for (leak, number) in leaks.leaks.iter().zip(1..).take(TOLD) {
        let behind = match leak.behind.blocks {
            0 => String::new(),
            _ => format!(", and {} behind them", amount(leak.behind)),
        };
        line(String::new());
        line(format!("{number}. {}{behind}", amount(leak.lost)));
        match &leak.stack[..] {
            [] => line("   allocated where no stack was recorded".into()),
            stack => stack
                .iter()
                .take(FUNCTIONS)
                .for_each(|function| line(format!("   {}", visible(function)))),
        }
    }
    if let Some(more) = leaks.leaks.len().checked_sub(TOLD + 1) {
        line(String::new());
        line(format!("and {}", many(more + 1, "place")));
    }
    for note in &leaks.notes {
        line(format!("Note: {note}"));
    }
    page
}

fn amount(amount: Amount) -> String {
    let blocks = usize::try_from(amount.blocks).unwrap_or(usize::MAX);
    format!("{} in {}", bytes(amount.bytes as f64), many(blocks, "block"))
}
