//! An allocator of the kernel's as a word: its name, and what is set of it.
//!
//! ```text
//! zsmalloc                                  chains of up to 8 pages, the least waste: Linux 6.3 and later
//! zsmalloc:chain=4:rule=most-percent        chains of up to 4, the most per cent in use: Linux up to 6.1
//! ```

use handle::zsmalloc::{Classes, Rule};
use registry::{BLOCKS, FORMS, KERNELS, PEERS};

/// Pages of the longest chain where nothing is said.
const CHAIN: usize = 8;

const RULES: [(&str, Rule); 2] =
    [("least-waste", Rule::LeastWaste), ("most-percent", Rule::MostPercent)];

/// The name, and the classes of sizes; else what is wrong.
pub(super) fn read(word: &str) -> Result<(&str, Classes), String> {
    let mut pieces = word.split(':');
    let name = pieces.next().unwrap_or_default();
    let settings = match KERNELS.iter().find(|row| row.name == name) {
        Some(row) => row.settings,
        None if all().contains(&name) => &[],
        None => return Err(format!("no allocator {name}; there are {}", all().join(", "))),
    };
    let (mut chain, mut rule) = (CHAIN, Rule::default());
    for piece in pieces {
        let (key, value) = piece.split_once('=').unwrap_or((piece, ""));
        if !settings.contains(&key) {
            let there = if settings.is_empty() { "none".to_owned() } else { settings.join(", ") };
            return Err(format!("{name} has no setting {key}; there are {there}"));
        }
        match key {
            "chain" => chain = pages(value)?,
            _ => rule = rule_of(value)?,
        }
    }
    Ok((name, Classes::new(rule, chain)))
}

fn pages(value: &str) -> Result<usize, String> {
    let pages = value.parse().ok().filter(|pages| (1..=Classes::LONGEST).contains(pages));
    pages.ok_or(format!("chain: '{value}' is no number of pages from 1 to {}", Classes::LONGEST))
}

fn rule_of(value: &str) -> Result<Rule, String> {
    let found = RULES.iter().find(|rule| rule.0 == value).map(|rule| rule.1);
    let words = RULES.map(|rule| rule.0).join(" or ");
    found.ok_or(format!("rule: '{value}' is not {words}"))
}

fn all() -> Vec<&'static str> {
    let kernels = KERNELS.iter().map(|row| row.name);
    let blocks = BLOCKS.iter().map(|row| row.name);
    ["malloc", "null"].into_iter().chain(kernels).chain(blocks).chain(FORMS).chain(PEERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_what_the_classes_have() {
        let of = |word: &str| read(word).map(|(name, classes)| (name.to_owned(), classes));
        let (name, linux) = of("zsmalloc").unwrap();
        assert_eq!((name.as_str(), linux.huge_from()), ("zsmalloc", 3625));
        // The watermarks of the kernel's documentation: 3,264 with chains of 4.
        let older = of("zsmalloc:chain=4:rule=most-percent").unwrap().1;
        assert_eq!((older.huge_from(), older.iter().count()), (3257, 69));
        assert_eq!(of("zsmalloc:chain=16").unwrap().1.iter().count(), 192);
        assert!(of("tlsf").is_ok() && of("malloc").is_ok() && of("xvmalloc").is_ok());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (word, said) in [
            ("zsmaloc", "zsmalloc"),
            ("zsmalloc:chains=4", "no setting chains; there are chain, rule"),
            ("xvmalloc:chain=4", "no setting chain; there are none"),
            ("zsmalloc:chain=17", "'17' is no number of pages from 1 to 16"),
            ("zsmalloc:chain", "'' is no number"),
            ("zsmalloc:rule=best", "'best' is not least-waste or most-percent"),
        ] {
            let why = read(word).unwrap_err();
            assert!(why.contains(said), "{word}: {why}");
        }
    }
}
