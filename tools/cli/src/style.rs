//! Colours: only for people, and never as the only sign of anything.

use core::sync::atomic::{AtomicBool, Ordering};
use std::env;
use std::io::{IsTerminal as _, stderr, stdout};

use launch::inspect::Level;

use crate::flags::color::Color;

static ON_STDOUT: AtomicBool = AtomicBool::new(false);
static ON_STDERR: AtomicBool = AtomicBool::new(false);

/// Decides once, from `--color`, `NO_COLOR` and what the streams are.
pub(crate) fn choose(color: Color) {
    let wanted = |terminal: bool| match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let refused = env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
            terminal && !refused && env::var_os("TERM").is_none_or(|t| t != "dumb")
        }
    };
    ON_STDOUT.store(wanted(stdout().is_terminal()), Ordering::Relaxed);
    ON_STDERR.store(wanted(stderr().is_terminal()), Ordering::Relaxed);
}

pub(crate) fn is_on_stdout() -> bool {
    ON_STDOUT.load(Ordering::Relaxed)
}

/// Whether a terminal can do more than print lines.
pub(crate) fn is_capable() -> bool {
    env::var_os("TERM").is_some_and(|term| !term.is_empty() && term != "dumb")
}

fn paint(on: &AtomicBool, code: &str, text: &str) -> String {
    if on.load(Ordering::Relaxed) { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
}

/// The name in front of an error, on standard error.
pub(crate) fn error(text: &str) -> String {
    paint(&ON_STDERR, "1;31", text)
}

pub(crate) fn warning(text: &str) -> String {
    paint(&ON_STDERR, "1;33", text)
}

pub(crate) fn level(level: Level) -> String {
    let code = match level {
        Level::Ok => "32",
        Level::Warn => "33",
        Level::Fail => "1;31",
    };
    paint(&ON_STDOUT, code, &level.to_string())
}
