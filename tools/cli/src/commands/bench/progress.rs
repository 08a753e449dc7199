//! The progress bar of `bench`, on standard error; where that is no terminal, a line now and then.

use core::time::Duration;
use std::time::Instant;

use bench::session::{Failure, How, Observer, Options, Pass, Step};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{exit, format};

/// The bar's length: a thousandth is finer than any terminal.
const STEPS: u64 = 1000;

/// How often a line is printed where no bar can be drawn.
const SOMETIMES: Duration = Duration::from_secs(30);

pub(super) struct Progress {
    bar: ProgressBar,
    rounds: Option<u32>,
    started: Instant,
    printed: Instant,
    is_quiet: bool,
    /// What failed while nothing has worked yet: a program that always fails is one error, and not a warning for each
    /// allocator beside it.
    held: Vec<String>,
    /// Whether a run has begun of which nothing bad was heard, and whether one ended so.
    is_running: bool,
    has_worked: bool,
}

impl Progress {
    /// A bar at its beginning; hidden when the program's own output is shown.
    pub(super) fn new(options: &Options) -> Self {
        let target = if options.show_output {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(STEPS), target);
        if let Ok(style) = ProgressStyle::with_template("  ▕{bar:24}▏ {percent:>3} %  {msg}") {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        let now = Instant::now();
        Self {
            bar,
            rounds: options.rounds,
            started: now,
            printed: now,
            is_quiet: options.show_output,
            held: Vec::new(),
            is_running: false,
            has_worked: false,
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    pub(super) fn say_failures(&mut self) {
        let held = core::mem::take(&mut self.held);
        self.bar.suspend(|| held.iter().for_each(|message| exit::warn(message)));
    }

    /// What is left, judged by what is done.
    fn left(&self, share: f64) -> Option<Duration> {
        let elapsed = self.started.elapsed();
        (share > 0.01).then(|| elapsed.mul_f64((1.0 - share) / share))
    }

    fn message(&self, step: &Step<'_>) -> String {
        let which = match (step.pass, step.round, self.rounds) {
            (Pass::Memory, ..) => "memory".to_owned(),
            (Pass::Count, ..) => "counting".to_owned(),
            (Pass::Tail, ..) => "single calls".to_owned(),
            (Pass::Time, 0, _) => "warm-up".to_owned(),
            (Pass::Time, n, Some(all)) => format!("round {n}/{all}"),
            (Pass::Time, n, None) => format!("round {n}"),
        };
        let mut text = format!("{}  {which}  {}", step.workload, step.subject);
        if let Some(left) = self.left(step.share) {
            let seconds = left.as_secs();
            text += &format!("  eta {}:{:02}", seconds / 60, seconds % 60);
        }
        if let Some(noise) = step.noise {
            text += &format!("  noise ±{:.1} %", 100.0 * noise);
        }
        text
    }
}

impl Observer for Progress {
    fn running(&mut self, step: &Step<'_>) {
        if self.is_running && !self.has_worked {
            self.has_worked = true;
            self.say_failures();
        }
        self.is_running = true;
        let message = self.message(step);
        if self.bar.is_hidden() {
            if !self.is_quiet && self.printed.elapsed() > SOMETIMES {
                self.printed = Instant::now();
                exit::say(&format!("{:.0} percent  {message}", 100.0 * step.share));
            }
            return;
        }
        self.bar.set_message(format::visible(&message).into_owned());
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share is between 0 and 1"
        )]
        self.bar.set_position((step.share * STEPS as f64) as u64);
    }

    fn failed(&mut self, workload: &str, subject: &str, failure: &Failure) {
        // The table shows it too, at the end; whoever waits for that may want to know now.
        let seen = match failure.how {
            How::OtherMalloc => format!(": {}", failure.stderr),
            _ => String::new(),
        };
        let message = format!(
            "{workload} on {subject}: {}{seen}; it is not run there again",
            failure.how.words()
        );
        self.is_running = false;
        self.held.push(message);
        if self.has_worked {
            self.say_failures();
        }
    }
}
