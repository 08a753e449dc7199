//! `cargo xtask texts`: every figure of the five texts made again, as `bench/texts.toml` lists them.
//!
//! ```text
//! a row: text, item, command, pictures ─► heapwright bench COMMAND -o DIR/001-COMMAND     the record
//!                                           └► DIR/pictures/texts-001-NAME.svg           ─ --write ─► docs/pictures
//! ```
//!
//! Its table has each figure's seconds and their sum. What `docs/texts.md` shows of a text is one of these commands; a test sees that each of them is named there.

use core::time::Duration;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use serde::Deserialize;

use crate::command;
use crate::figures;
use crate::files;
use crate::peers::{root, target_dir};

const LIST: &str = include_str!("../../../bench/texts.toml");

/// The figures of docs/texts.md, all made again: records and pictures in one folder
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Only this text, such as 001; may be given more than once
    #[arg(long, value_name = "TEXT", value_parser = known)]
    only: Vec<String>,
    /// Where records and pictures go [default: texts in the target folder]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Put the pictures into docs/pictures
    #[arg(long)]
    write: bool,
    /// The command to measure with, instead of building it
    #[arg(long, value_name = "PATH")]
    heapwright: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    figure: Vec<Figure>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    text: String,
    /// What it is called there.
    item: String,
    /// The words after `heapwright bench`.
    command: String,
    /// Those of its plots that the page shows.
    pictures: Vec<String>,
}

impl Figure {
    /// The folder of its record: the text's number and the command as a name.
    fn folder(&self) -> String {
        let name = self.command.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        format!("{}-{}", self.text, name.trim_matches('-'))
    }

    /// What one of its pictures is called beside those of other texts.
    fn picture(&self, plot: &str) -> String {
        let kinds = ["curve-", "family-", "text-"];
        let name = kinds.iter().find_map(|kind| plot.strip_prefix(kind));
        format!("texts-{}-{}.svg", self.text, name.unwrap_or(plot))
    }
}

fn list() -> Result<Vec<Figure>, String> {
    let list: List = toml::from_str(LIST).map_err(|why| format!("bench/texts.toml: {why}"))?;
    Ok(list.figure)
}

fn known(text: &str) -> Result<String, String> {
    let texts: BTreeSet<String> = list()?.into_iter().map(|figure| figure.text).collect();
    let names = || texts.iter().cloned().collect::<Vec<_>>().join(", ");
    if texts.contains(text) { Ok(text.to_owned()) } else { Err(format!("there are {}", names())) }
}

pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let heapwright = command::heapwright(options.heapwright.as_deref())?;
    let folder = options.output.clone().unwrap_or_else(|| target_dir().join("texts"));
    let mut table =
        figures::table(["text", "item", "heapwright bench", "seconds", "of processors", "record"]);
    let mut done: BTreeSet<String> = BTreeSet::new();
    let (mut all_made, mut all) = (true, Cost::default());
    let wanted = |figure: &Figure| options.only.is_empty() || options.only.contains(&figure.text);
    for figure in list()?.into_iter().filter(wanted) {
        let record = folder.join(figure.folder());
        let is_new = done.insert(figure.folder());
        let made = if is_new { make(&heapwright, &figure, &record) } else { Ok(Cost::default()) };
        let made =
            made.and_then(|cost| keep(&figure, &record, &folder, options.write).map(|()| cost));
        let mut shown = ["–", "–"].map(str::to_owned);
        let record = match made {
            Ok(cost) => {
                if is_new {
                    shown = cost.shown();
                    all.seconds += cost.seconds;
                    all.of_processors += cost.of_processors;
                }
                figure.folder()
            }
            Err(why) => {
                all_made = false;
                eprintln!("texts: {}: {why}", figure.item);
                "not made".to_owned()
            }
        };
        let [seconds, of_processors] = shown;
        table.add_row([figure.text, figure.item, figure.command, seconds, of_processors, record]);
    }
    let [seconds, of_processors] = all.shown();
    table.add_row(["", "all", "", &seconds, &of_processors, ""]);
    let text = format!("{table}\n");
    print!("{text}");
    files::write(&folder.join("README.md"), text)?;
    Ok(all_made)
}

/// What a figure takes: by the clock, and how long its runs computed.
#[derive(Debug, Default)]
struct Cost {
    seconds: f64,
    of_processors: f64,
}

impl Cost {
    fn shown(&self) -> [String; 2] {
        [self.seconds, self.of_processors].map(|seconds| format!("{seconds:.0}"))
    }
}

fn make(heapwright: &Path, figure: &Figure, record: &Path) -> Result<Cost, String> {
    let start = Instant::now();
    eprintln!("texts: {}: heapwright bench {}", figure.text, figure.command);
    let mut words: Vec<String> = figure.command.split_whitespace().map(str::to_owned).collect();
    let place = record.display().to_string();
    words.extend(["-o", &place, "--force"].map(str::to_owned));
    let report = command::bench(heapwright, &words)?;
    let computed = report.runs.iter().map(|run| run.figures.user_us + run.figures.system_us);
    let of_processors = Duration::from_micros(computed.sum()).as_secs_f64();
    Ok(Cost { seconds: start.elapsed().as_secs_f64(), of_processors })
}

/// Copies its pictures beside the records, and into the pages' folder.
fn keep(figure: &Figure, record: &Path, folder: &Path, write: bool) -> Result<(), String> {
    let mut places = vec![folder.join("pictures")];
    places.extend(write.then(|| root().join("docs/pictures")));
    for place in &places {
        files::folder(place)?;
        for plot in &figure.pictures {
            let from = record.join("plots").join(plot).with_extension("svg");
            let to = place.join(figure.picture(plot));
            fs::copy(&from, to).map_err(files::said(&from))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_command_and_picture() {
        let page = fs::read_to_string(root().join("docs/texts.md")).unwrap();
        for figure in list().unwrap() {
            let section = page.split("\n## ").find(|part| part.starts_with(&figure.text));
            let section = section.unwrap_or_else(|| panic!("{} has no section", figure.text));
            let command = format!("`heapwright bench {}`", figure.command);
            assert!(section.contains(&command), "{}: {command} is not on the page", figure.text);
            for plot in &figure.pictures {
                let picture = format!("pictures/{}", figure.picture(plot));
                assert!(section.contains(&picture), "{}: {picture} is not shown", figure.text);
                assert!(root().join("docs").join(&picture).is_file(), "{picture} is not there");
            }
        }
    }

    #[test]
    fn folders_and_pictures_are_named_for_what_they_show() {
        let figure = Figure {
            text: "001".to_owned(),
            item: "the table".to_owned(),
            command: "t-test1-grid -a x,y".to_owned(),
            pictures: vec!["curve-a".to_owned()],
        };
        assert_eq!(figure.folder(), "001-t-test1-grid--a-x-y");
        assert_eq!(figure.picture("curve-a"), "texts-001-a.svg");
        assert_eq!(figure.picture("family-b-glibc"), "texts-001-b-glibc.svg");
        assert_eq!(figure.picture("time"), "texts-001-time.svg");
    }

    #[test]
    fn options_are_read() {
        let options: Options = crate::parsed("--only 001 --only 004 --write").unwrap();
        assert!(options.write && options.only == ["001", "004"]);
        assert!(crate::parsed::<Options>("--only 005").is_err());
    }
}
