//! `heapwright top`: a process's heap while it runs, in a terminal or as lines.

mod program;

use core::time::Duration;
use std::env;
use std::ffi::OsString;
use std::io::{IsTerminal as _, stdin, stdout};
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Instant;

use anyhow::{Context as _, anyhow};
use bench::whole;
use clap::{Args, ValueHint};
use live::screen::{COLUMNS, State};
use live::{Detail, Trouble, Watched};
use rustix::time::{ClockId, clock_gettime};
use show::text::wrapped;
use view::{KeyCode, KeyEvent, KeyModifiers, Line, Screen};

use self::program::Started;
use super::stats::pid;
use super::stats::sites;
use crate::flags::allocator::OneAllocator;
use crate::flags::rounds::duration;
use crate::flags::settings::SettingsFlags;
use crate::{exit, out, style};

const EXAMPLES: &str = include_str!("top/help.txt");

/// Of one processor: looks that cost more are fewer.
const SHARE: f64 = 0.007;
/// A title above so many lines.
const LINES: usize = 20;

/// A process's heap, once a second: how much, how fast, how full each block is, and which sizes waste most
///
/// The figures are read from the process's memory while it goes on, as 'heapwright stats' does. In a terminal it is a screen
/// with keys (? shows them), and what a program says that it started is in a file, which is named at the end; else, or with --plain, a line a second. It takes less than a hundredth of a processor: where a look
/// takes long, because the heap is large, looks are fewer.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Top {
    /// The number of a process
    #[arg(value_name = "PID", value_parser = pid, required_unless_present = "command", conflicts_with = "command")]
    pid: Option<i32>,

    #[command(flatten)]
    allocator: OneAllocator,

    #[command(flatten)]
    settings: SettingsFlags,

    /// Between two looks
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    every: Duration,

    /// Print lines, also in a terminal
    #[arg(long)]
    plain: bool,

    /// End after so many looks
    #[arg(short = 'n', long, value_name = "N")]
    times: Option<u64>,

    /// The program to start, and its arguments; it ends with 'top'
    #[arg(last = true, value_name = "CMD", value_hint = ValueHint::CommandWithArguments, help_heading = "Arguments")]
    command: Vec<OsString>,
}

struct Shown {
    watched: Watched,
    state: State,
    every: Duration,
    next: Instant,
    left: u64,
    paused: bool,
    over: bool,
    width: usize,
    /// Why there is nothing more to be seen.
    ended: Option<Trouble>,
}

impl Top {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let in_terminal =
            !self.plain && stdin().is_terminal() && stdout().is_terminal() && style::is_capable();
        let started = match self.pid {
            Some(_) => None,
            None => {
                Some(Started::new(&self.allocator, &self.settings, &self.command, in_terminal)?)
            }
        };
        let pid = self.pid.or(started.as_ref().map(Started::pid)).unwrap_or_default();
        let watched = match (Watched::find(pid), started.is_some()) {
            // Before it was looked at.
            (Err(trouble @ (Trouble::Gone(_) | Trouble::Zombie(_))), true) => {
                exit::say(&format!("heapwright: {trouble}"));
                return Ok(started.map_or(ExitCode::SUCCESS, |started| started.end(true)));
            }
            (found, _) => found?,
        };
        let mut shown = Shown::new(watched, self.every, self.times);
        let seen = if in_terminal {
            shown.state.inked = style::is_on_stdout();
            let inked = shown.state.inked;
            shown.look();
            view::shown(&mut shown, inked).context("cannot use the terminal")
        } else {
            shown.print()
        };
        // The program gets its time to end, also where the terminal has gone.
        let is_gone = matches!(shown.ended, Some(Trouble::Ended(_)));
        let code = started.map_or(ExitCode::SUCCESS, |started| started.end(is_gone));
        seen?;
        match shown.ended {
            Some(Trouble::Ended(_)) | None => Ok(code),
            Some(trouble) => Err(anyhow!(trouble)),
        }
    }
}

impl Shown {
    fn new(watched: Watched, every: Duration, times: Option<u64>) -> Self {
        let every = every.max(Duration::from_millis(50));
        let state = State::default();
        let (next, left) = (Instant::now(), times.unwrap_or(u64::MAX));
        let (paused, over, width, ended) = (false, false, 80, None);
        Self { watched, state, every, next, left, paused, over, width, ended }
    }

    /// Looks, and says when to look again: later, if it cost much.
    fn look(&mut self) {
        let before = processor_time();
        match self.watched.look(Detail::Blocks) {
            Ok(figures) => self.state.see(figures),
            Err(trouble) => {
                self.state.said = format!("{trouble}; q quits");
                self.ended = Some(trouble);
            }
        }
        let cost = processor_time().saturating_sub(before).as_secs_f64();
        let pause = Duration::from_secs_f64(cost / SHARE).max(self.every);
        self.state.every = pause.as_secs_f64();
        self.next = Instant::now() + pause;
        self.left = self.left.saturating_sub(1);
        self.over |= self.left == 0;
    }

    fn print(&mut self) -> anyhow::Result<()> {
        for number in 0.. {
            self.look();
            if self.ended.is_some() {
                break;
            }
            if number % LINES == 0 {
                out::print(&format!("{COLUMNS}\n"))?;
            }
            out::print(&format!("{}\n", self.state.line()))?;
            if self.over {
                break;
            }
            sleep(self.next.saturating_duration_since(Instant::now()));
        }
        match &self.ended {
            Some(trouble @ Trouble::Ended(_)) => exit::say(&format!("heapwright: {trouble}")),
            _ => {
                if let Some(figures) = self.state.last().filter(|figures| figures.heap.is_none()) {
                    exit::say(&format!("heapwright: {}", figures.help()));
                }
            }
        }
        Ok(())
    }

    /// Shows which code the live blocks come from, or why that is not known.
    fn tell_sites(&mut self) {
        let text = match sites::look(&mut self.watched) {
            Ok(profile) => profile::now(&profile, Some(self.width)),
            Err(error) => wrapped(&exit::said(&error), 0, Some(self.width)),
        };
        self.state.tell(text);
    }

    /// Writes all figures to a new file in the current folder.
    fn snapshot(&mut self) {
        let figures = self.watched.look(Detail::Pages);
        let written = figures.map_err(|trouble| anyhow!(trouble)).and_then(|figures| {
            let path = free_name(self.watched.pid);
            whole::write(&path, format!("{:#}\n", live::json(&figures)).as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
            Ok(path)
        });
        self.state.said = match written {
            Ok(path) => format!("wrote {}", path.display()),
            Err(error) => format!("{error:#}"),
        };
    }
}

fn free_name(pid: i32) -> PathBuf {
    let folder = env::current_dir().unwrap_or_default();
    let name = |number: u32| folder.join(format!("heap-{pid}-{number}.json"));
    (1..).map(name).find(|path| !path.exists()).unwrap_or_default()
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

impl Screen for Shown {
    fn lines(&mut self, width: usize, height: usize) -> Vec<Line> {
        self.width = width;
        self.state.lines(width, height)
    }

    fn press(&mut self, key: KeyEvent) {
        let said = core::mem::take(&mut self.state.said);
        if self.state.press(key) {
            return;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if control => self.over = true,
            KeyCode::Char('q') | KeyCode::Esc => self.over = true,
            KeyCode::Char('s') => self.snapshot(),
            KeyCode::Char('w') => self.tell_sites(),
            KeyCode::Char(' ') => {
                self.paused = !self.paused;
                self.state.said = if self.paused { "paused".to_owned() } else { String::new() };
            }
            _ => self.state.said = said,
        }
    }

    fn tick(&mut self) {
        if !self.paused && self.ended.is_none() && Instant::now() >= self.next {
            self.look();
        }
    }

    fn every(&self) -> Duration {
        if self.paused || self.ended.is_some() {
            return Duration::from_millis(500);
        }
        self.next.saturating_duration_since(Instant::now()).min(Duration::from_millis(500))
    }

    fn is_over(&self) -> bool {
        self.over
    }
}
