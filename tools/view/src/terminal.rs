//! The heap in a terminal, scrubbed over time: keys change a state, and a state has a screen.
//!
//! ```text
//! key ─► State ─► screen: lines ─► the terminal, in one write
//! ```

mod screen;
mod state;

use core::sync::atomic::{AtomicBool, Ordering};
use core::time::Duration;
use std::io::{self, ErrorKind, Write as _, stdin, stdout};
use std::panic;
use std::sync::Arc;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyEventKind};
pub use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use crossterm::{execute, queue};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::class::By;
use crate::draw::Line;
use crate::pictures::Pictures;
use state::State;

/// Between two moments that are played.
const PLAYED: Duration = Duration::from_millis(60);
/// Between two looks at whether somebody wants us to end.
const LOOK: Duration = Duration::from_millis(250);

/// What has a terminal to itself: keys change it, and it has a screen.
pub trait Screen {
    /// As many lines as the terminal has, none of them wider.
    fn lines(&mut self, width: usize, height: usize) -> Vec<Line>;
    /// A key was pressed.
    fn press(&mut self, key: KeyEvent);
    /// The time of [`every`](Self::every) has passed while nobody pressed a key.
    fn tick(&mut self);
    /// How long a key is waited for.
    fn every(&self) -> Duration;
    /// Whether there is nothing more to be shown.
    fn is_over(&self) -> bool;
}

/// The pictures, and which of them is shown.
struct Scrubbed<'a> {
    pictures: &'a Pictures,
    state: State,
}

impl Screen for Scrubbed<'_> {
    fn lines(&mut self, width: usize, height: usize) -> Vec<Line> {
        self.state.screen(self.pictures, width, height)
    }

    fn press(&mut self, key: KeyEvent) {
        self.state.press(self.pictures, key);
    }

    fn tick(&mut self) {
        self.state.tick(self.pictures);
    }

    fn every(&self) -> Duration {
        if self.state.plays { PLAYED } else { LOOK }
    }

    fn is_over(&self) -> bool {
        self.state.is_over
    }
}

/// Shows the pictures until a key says to quit. `inked`: with colours; without, cells have the numbers of their classes.
/// Errors: standard input or output is no terminal, or has gone.
pub fn scrub(pictures: &Pictures, by: By, inked: bool) -> io::Result<()> {
    shown(&mut Scrubbed { pictures, state: State::new(pictures, by, inked) }, inked)
}

/// Shows a screen until it is over.
/// Errors: standard input or output is no terminal, or has gone.
pub fn shown(screen: &mut impl Screen, inked: bool) -> io::Result<()> {
    let ends = Arc::new(AtomicBool::new(false));
    // Control-C is a key here: these were sent by someone else.
    for signal in [SIGTERM, SIGHUP, SIGINT, SIGQUIT] {
        signal_hook::flag::register(signal, Arc::clone(&ends))?;
    }
    let terminal = Terminal::take()?;
    let mut before = (0, Vec::new());
    while !ends.load(Ordering::Relaxed) && !screen.is_over() {
        let (width, height) = size()?;
        let lines = screen.lines(usize::from(width), usize::from(height));
        draw(&mut before, width, lines, inked)?;
        wait(screen.every())?;
        if !event::poll(Duration::ZERO)? {
            screen.tick();
            continue;
        }
        // Of keys that were held down, the screen shows where they led.
        while event::poll(Duration::ZERO)? {
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                screen.press(key);
            }
        }
    }
    drop(terminal);
    Ok(())
}

/// Waits for a key, a signal, or so long. crossterm is not to wait: it reads the end of a terminal that has gone for ever.
fn wait(most: Duration) -> io::Result<()> {
    let keys = stdin();
    let mut keys = [PollFd::new(&keys, PollFlags::IN)];
    let most = Timespec::try_from(most).ok();
    match poll(&mut keys, most.as_ref()) {
        Err(Errno::INTR) => return Ok(()),
        waited => waited?,
    };
    if keys[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) {
        return Err(ErrorKind::BrokenPipe.into());
    }
    Ok(())
}

/// Draws the lines that are not there yet, in one write; all of them where the terminal has another size.
fn draw(shown: &mut (u16, Vec<Line>), width: u16, lines: Vec<Line>, inked: bool) -> io::Result<()> {
    let (before, old) = shown;
    let is_new = *before != width || old.len() != lines.len();
    if !is_new && *old == lines {
        return Ok(());
    }
    let mut out = stdout().lock();
    queue!(out, BeginSynchronizedUpdate)?;
    if is_new {
        queue!(out, Clear(ClearType::All))?;
    }
    for (row, line) in lines.iter().enumerate() {
        if !is_new && old[row] == *line {
            continue;
        }
        queue!(out, MoveTo(0, u16::try_from(row).unwrap_or(u16::MAX)))?;
        let text = if inked { line.ansi() } else { line.plain() };
        // What is left of the line that was there before goes.
        write!(out, "{text}\x1b[K")?;
    }
    queue!(out, EndSynchronizedUpdate)?;
    *shown = (width, lines);
    out.flush()
}

/// A terminal whose keys come to us. It is as before when this is dropped, and when we panic.
struct Terminal;

impl Terminal {
    fn take() -> io::Result<Self> {
        enable_raw_mode()?;
        let terminal = Self;
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |why| {
            release();
            before(why);
        }));
        execute!(stdout(), EnterAlternateScreen, Hide)?;
        Ok(terminal)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        release();
    }
}

fn release() {
    // It may have gone; then nobody sees it.
    let _ = execute!(stdout(), Show, LeaveAlternateScreen);
    let _ = disable_raw_mode();
}
