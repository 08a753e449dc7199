//! The progress bar of `bench`, on standard error; nothing is drawn when that is not a terminal.

use core::time::Duration;

use bench::session::{Failure, Observer, Options};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The bar's length: a thousandth is finer than any terminal.
const STEPS: u64 = 1000;

/// Draws the bar.
pub(super) struct Progress {
    bar: ProgressBar,
    rounds: Option<u32>,
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
        if let Ok(style) =
            ProgressStyle::with_template("  ▕{bar:24}▏ {percent:>3} %  {msg}  eta {eta}")
        {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        Self { bar, rounds: options.rounds }
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Progress {
    fn running(&mut self, round: u32, subject: &str, share: f64) {
        let which = match (round, self.rounds) {
            (0, _) => "warm-up".to_owned(),
            (n, Some(all)) => format!("round {n}/{all}"),
            (n, None) => format!("round {n}"),
        };
        self.bar.set_message(format!("{which}  {subject}"));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share is between 0 and 1"
        )]
        self.bar.set_position((share * STEPS as f64) as u64);
    }

    fn failed(&mut self, subject: &str, failure: &Failure) {
        // The table tells it too; this is for those who watch.
        if !self.bar.is_hidden() {
            self.bar.suspend(|| {
                eprintln!("{subject}: {}; it is not run again", failure.how.words());
            });
        }
    }
}
