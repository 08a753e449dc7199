//! `heapwright man`: the manual pages, made from the same definitions as `--help`.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use bench::whole;
use clap::{Args, Command, CommandFactory as _, ValueHint};
use clap_mangen::Man as Page;

use crate::cli::Cli;
use crate::{exit, out};

const EXAMPLES: &str = "\
Examples:
  heapwright man | man -l -
  heapwright man -o ~/.local/share/man/man1";

/// Print the manual page, or write the pages of all commands
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// Write one page for each command into DIR, which is made if need be
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: Option<PathBuf>,
}

const ENVIRONMENT: [(&str, &str); 7] = [
    ("HEAPWRIGHT", "settings of the library, key=value with commas between them; --set adds to it"),
    ("LD_PRELOAD", "kept: 'run' and 'bench' put the allocator before what is there"),
    (
        "HEAPWRIGHT_ALLOCATORS",
        "libraries to find besides the installed ones, with colons between them",
    ),
    ("LD_LIBRARY_PATH", "folders in which allocators are looked for"),
    (
        "XDG_CACHE_HOME",
        "where the libraries are unpacked, in a folder heapwright [default: ~/.cache]",
    ),
    ("NO_COLOR", "if set, no colours"),
    ("PATH", "where programs are looked for"),
];

impl Man {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        // Nobody looks for a page of 'heapwright help run'.
        let mut command = Cli::command().disable_help_subcommand(true);
        command.build();
        let Some(directory) = self.output else {
            let mut text = Vec::new();
            page(command, &mut text).context("cannot make the page")?;
            out::print(&String::from_utf8_lossy(&text))?;
            return Ok(ExitCode::SUCCESS);
        };
        fs::create_dir_all(&directory)
            .with_context(|| format!("cannot make {}", directory.display()))?;
        let all: Vec<Command> =
            command.get_subcommands().cloned().chain([command.clone()]).collect();
        for command in all {
            let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
            let file = directory.join(format!("{name}.1"));
            let mut text = Vec::new();
            page(command, &mut text)
                .and_then(|()| whole::write(&file, &text))
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        exit::say(&format!("wrote {}/heapwright*.1", directory.display()));
        Ok(ExitCode::SUCCESS)
    }
}

fn page(command: Command, to: &mut dyn io::Write) -> io::Result<()> {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let has_subcommands = command.has_subcommands();
    let page = Page::new(command);
    page.render_title(to)?;
    page.render_name_section(to)?;
    page.render_synopsis_section(to)?;
    page.render_description_section(to)?;
    page.render_options_section(to)?;
    if has_subcommands {
        page.render_subcommands_section(to)?;
    }
    to.write_all(sections(&after).as_bytes())?;
    to.write_all(b".SH ENVIRONMENT\n")?;
    for (name, what) in ENVIRONMENT {
        write!(to, ".TP\n\\fB{}\\fR\n{}\n", escaped(name), escaped(what))?;
    }
    page.render_version_section(to)
}

/// What stands below the options in `--help`: headings become sections, and lines that are indented stay lines.
fn sections(text: &str) -> String {
    let mut out = String::new();
    let mut is_verbatim = false;
    for line in text.lines() {
        let indented = line.starts_with("  ");
        if indented != is_verbatim {
            out += if indented { ".PP\n.nf\n" } else { ".fi\n" };
            is_verbatim = indented;
        }
        match line.split_once(':') {
            Some(("Examples", "")) => out += ".SH EXAMPLES\n",
            Some(("Exit codes", rest)) => {
                out += &format!(".SH EXIT STATUS\n{}\n", escaped(rest.trim()));
            }
            _ if line.is_empty() => out += ".PP\n",
            _ => out += &format!("{}\n", escaped(line)),
        }
    }
    if is_verbatim {
        out += ".fi\n";
    }
    out
}

fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
    // A point at the start of a line would be a request.
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::sections;

    #[test]
    fn examples_stay_lines_and_headings_become_sections() {
        let text = "Examples:\n  a -b   'c'\n  d\n\nSome words.\n\nExit codes: 0 good\n  .x";
        assert_eq!(
            sections(text),
            ".SH EXAMPLES\n.PP\n.nf\n  a \\-b   \\(aqc\\(aq\n  d\n.fi\n.PP\nSome words.\n.PP\n\
             .SH EXIT STATUS\n0 good\n.PP\n.nf\n  .x\n.fi\n"
        );
    }
}
