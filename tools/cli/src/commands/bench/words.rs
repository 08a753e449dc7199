//! The words of a `bench` command, taken apart and put together again: for the next command, and for one that does the
//! same work as an older result.

use std::env;

use clap::{Arg, Command, CommandFactory as _};

use crate::cli::Cli;
use crate::format;

/// The words after `bench`: before the dashes, and from them on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    ours: Vec<String>,
    program: Vec<String>,
}

impl Words {
    pub(super) fn of_this_command() -> Self {
        Self::of_command(env::args_os().map(|w| w.to_string_lossy().into_owned()))
    }

    pub(crate) fn of_command(words: impl Iterator<Item = String>) -> Self {
        Self::of(words.skip_while(|w| w != "bench").skip(1))
    }

    fn of(words: impl IntoIterator<Item = String>) -> Self {
        let mut ours: Vec<String> = words.into_iter().collect();
        let dashes = ours.iter().position(|w| w == "--").unwrap_or(ours.len());
        let program = ours.split_off(dashes);
        Self { ours, program }
    }

    /// The words without these flags and their values.
    pub(crate) fn without(&self, flags: &[&str]) -> Self {
        let mut cli = Cli::command();
        cli.build();
        let command = cli.find_subcommand("bench").unwrap_or(&cli);
        let mut kept = Vec::new();
        let mut words = self.ours.iter();
        while let Some(word) = words.next() {
            let known = Flag::read(word, command);
            let value =
                known.last().is_some_and(|f| f.value_follows).then(|| words.next()).flatten();
            if known.is_empty() {
                kept.push(word.clone());
                continue;
            }
            for flag in known.iter().filter(|f| !flags.contains(&f.long.as_str())) {
                kept.push(flag.text.clone());
                kept.extend(value.filter(|_| flag.value_follows).cloned());
            }
        }
        Self { ours: kept, program: self.program.clone() }
    }

    /// Whether this flag is among our words; the program's own do not count.
    pub(super) fn has(&self, flag: &str) -> bool {
        // Both are spelled out: `-fi` becomes `-f -i`.
        self.without(&[flag]) != self.without(&[])
    }

    /// The whole command, with more words of ours, as a shell reads it.
    pub(crate) fn with(&self, more: &[&str]) -> String {
        format::shell(&self.all(more))
    }

    pub(super) fn all(&self, more: &[&str]) -> Vec<String> {
        let mut all = vec!["heapwright".to_owned(), "bench".to_owned()];
        all.extend(self.ours.iter().cloned());
        all.extend(more.iter().map(|w| (*w).to_owned()));
        all.extend(self.program.iter().cloned());
        all
    }
}

struct Flag {
    long: String,
    text: String,
    value_follows: bool,
}

impl Flag {
    /// The flags of a word: one, or several letters after one dash. None if it is no flag.
    fn read(word: &str, command: &Command) -> Vec<Self> {
        let takes_value = |arg: Option<&Arg>| arg.is_some_and(|a| a.get_action().takes_values());
        if let Some(rest) = word.strip_prefix("--") {
            let (name, value) = rest.split_once('=').map_or((rest, None), |(n, v)| (n, Some(v)));
            let arg = command.get_arguments().find(|a| a.get_long() == Some(name));
            let value_follows = value.is_none() && takes_value(arg);
            return vec![Self { long: name.to_owned(), text: word.to_owned(), value_follows }];
        }
        let mut flags = Vec::new();
        let letters = word.strip_prefix('-').unwrap_or_default();
        for (at, letter) in letters.char_indices() {
            let arg = command.get_arguments().find(|a| a.get_short() == Some(letter));
            let long = arg.and_then(Arg::get_long).unwrap_or_default().to_owned();
            let rest = &letters[at + letter.len_utf8()..];
            if takes_value(arg) {
                let text = format!("-{letter}{rest}");
                flags.push(Self { long, text, value_follows: rest.is_empty() });
                break;
            }
            flags.push(Self { long, text: format!("-{letter}"), value_follows: false });
        }
        flags
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(line: &str, flags: &[&str]) -> String {
        Words::of(line.split(' ').map(str::to_owned)).without(flags).with(&["--time", "5m"])
    }

    #[test]
    fn flags_go_with_their_values_and_the_program_keeps_its_own() {
        for (line, expected) in [
            ("larson -a glibc --no-files --time 3s", "larson -a glibc --no-files --time 5m"),
            ("--time=3s larson -fo out", "larson --time 5m"),
            ("-if -oold -aglibc", "-i -aglibc --time 5m"),
            ("-o out -- ./p --time 3 -o x", "--time 5m -- ./p --time 3 -o x"),
            ("--set safe=1 --seed 3 x:size=1", "--set safe=1 --seed 3 x:size=1 --time 5m"),
        ] {
            assert_eq!(
                without(line, &["time", "output", "force"]),
                format!("heapwright bench {expected}"),
                "{line}"
            );
        }
    }

    #[test]
    fn a_flag_of_the_program_is_not_ours() {
        let has = |line: &str| Words::of(line.split(' ').map(str::to_owned)).has("seed");
        assert!(has("--seed 3 -- ./p") && has("--seed=3 larson"));
        assert!(!has("-- ./p --seed 3") && !has("larson:seed=3 -o --seed"));
        assert!(!has("-fi larson -o out"), "two letters after a dash are none of it");
    }
}
