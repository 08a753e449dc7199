//! `heapwright view`: a recorded heap as a picture.

mod beside;

use std::io::{IsTerminal as _, stderr, stdin, stdout};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use bench::whole;
use clap::{Args, ValueEnum, ValueHint};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use view::{By, Moment, Pictures};

use crate::exit::{self, Usage};
use crate::flags::allocator::BesideAllocators;
use crate::{out, style, traces};

const EXAMPLES: &str = include_str!("view/help.txt");

/// What a cell's colour says.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Colours {
    /// The size of most of its bytes' blocks
    Size,
    /// How long its bytes have been there
    Age,
    /// Who allocated most of its bytes
    Thread,
    /// Where in the program most of its bytes were allocated
    Site,
}

/// Show a recorded heap as a picture, over time
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct View {
    /// A trace: the file or folder that 'heapwright record' wrote
    #[arg(value_name = "TRACE", value_hint = ValueHint::AnyPath)]
    trace: PathBuf,

    #[command(flatten)]
    beside: BesideAllocators,

    /// The moment that is shown first: peak, end, a time such as 12.3s, or a share such as 40%
    #[arg(long, value_name = "MOMENT", default_value = "peak")]
    at: Moment,

    /// What colours say: size, age, thread or site (of a recording with call stacks); as text without colours, cells have the numbers of their classes
    #[arg(long, value_name = "WHAT", hide_possible_values = true)]
    by: Option<Colours>,

    /// Write one offline page with all pictures and a slider over time
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    html: Option<PathBuf>,

    /// Print text, also in a terminal
    #[arg(long)]
    plain: bool,
}

impl View {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let trace = traces::open(&self.trace)?;
        let bar = bar();
        let told = |what: &str, share: f64| {
            bar.set_message(what.to_owned());
            #[allow(clippy::cast_possible_truncation, reason = "at most a hundred")]
            let percent = (share * 100.0) as u64;
            bar.set_position(percent);
        };
        let mut pictures = view::gather(&trace, self.at, &mut |share| told("", share));
        let asked = self.beside.asked();
        if !asked.is_empty() {
            let named = (&*self.trace, &trace);
            let told = &mut |what: &str, share| told(what, share);
            let beside = beside::all(named, &asked, (self.at, &pictures), told);
            bar.finish_and_clear();
            let Some(beside) = beside? else { return Ok(ExitCode::from(exit::INTERRUPTED)) };
            pictures = pictures.with(beside);
        }
        bar.finish_and_clear();
        let by = self.by.map(|by| match by {
            Colours::Size => By::Size,
            Colours::Age => By::Age,
            Colours::Thread => By::Thread,
            Colours::Site => By::Site,
        });
        if by == Some(By::Site) && !pictures.has_sites() {
            bail!(Usage(format!(
                "{} has no call stacks, so nothing is known by site: record --stacks all keeps them",
                self.trace.display()
            )));
        }
        if let Some(path) = &self.html {
            let page = view::html(&pictures, by.unwrap_or_default());
            whole::write(path, page.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
            exit::say(&format!("wrote    {}", path.display()));
            if !self.plain {
                return Ok(ExitCode::SUCCESS);
            }
        }
        show(&pictures, by, self.plain)?;
        Ok(ExitCode::SUCCESS)
    }
}

fn show(pictures: &Pictures, by: Option<By>, plain: bool) -> anyhow::Result<()> {
    let inked = style::is_on_stdout();
    if !plain && stdin().is_terminal() && stdout().is_terminal() && style::is_capable() {
        return view::scrub(pictures, by.unwrap_or_default(), inked)
            .context("cannot use the terminal");
    }
    let width = ::show::text::width();
    out::print(&if inked {
        view::ansi(pictures, by.unwrap_or_default(), width)
    } else {
        view::plain(pictures, by, width)
    })
}

/// How much of a long trace has been read; nothing where nobody looks.
fn bar() -> ProgressBar {
    let target = match stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(100), target);
    if let Ok(style) = ProgressStyle::with_template("reading  {percent} %  {msg}") {
        bar.set_style(style);
    }
    bar
}
