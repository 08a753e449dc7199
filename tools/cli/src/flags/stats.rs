//! `--stats`: what is told of the program's memory, and where.

use core::str::FromStr;
use std::path::PathBuf;

/// As they were written, which clap hands over one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StatsWord {
    Short,
    Full,
    All,
    Json,
    File(PathBuf),
}

impl FromStr for StatsWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            // What a library's own setting can be means the same here.
            "short" | "peak" | "1" => Ok(Self::Short),
            "full" => Ok(Self::Full),
            "all" => Ok(Self::All),
            "json" => Ok(Self::Json),
            _ if text.contains(['/', '.']) => Ok(Self::File(text.into())),
            _ => Err("it is full, all, json, or a FILE with a dot or a slash in it".to_owned()),
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Stats {
    pub(crate) full: bool,
    pub(crate) all: bool,
    pub(crate) json: bool,
    /// Where to; `%p` is the process's number. `None`: standard error.
    pub(crate) file: Option<PathBuf>,
}

impl Stats {
    /// `None`: nothing is asked for.
    pub(crate) fn of(words: &[StatsWord]) -> Option<Self> {
        let has = |word| words.contains(&word);
        let file = words.iter().rev().find_map(|w| match w {
            StatsWord::File(path) => Some(path.clone()),
            _ => None,
        });
        let is_json = file.as_ref().is_some_and(|f| f.extension().is_some_and(|e| e == "json"));
        (!words.is_empty()).then(|| Self {
            full: has(StatsWord::Full),
            all: has(StatsWord::All),
            json: has(StatsWord::Json) || is_json,
            file,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_add_up() {
        let of = |text: &str| {
            let words: Result<Vec<StatsWord>, _> = text.split(',').map(str::parse).collect();
            words.ok().and_then(|words| Stats::of(&words))
        };
        assert_eq!(Stats::of(&[]), None);
        assert_eq!(of("short"), Some(Stats::default()));
        assert_eq!(of("peak"), Some(Stats::default()));
        let all = Stats { all: true, json: true, ..Stats::default() };
        assert_eq!(of("all,json"), Some(all));
        let json = Stats { json: true, file: Some("a.json".into()), ..Stats::default() };
        assert_eq!(of("a.json"), Some(json));
        let file = Stats { full: true, file: Some("/tmp/%p".into()), ..Stats::default() };
        assert_eq!(of("full,/tmp/%p"), Some(file));
        assert_eq!(of("children"), None);
    }
}
