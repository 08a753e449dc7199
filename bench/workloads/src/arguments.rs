//! `KEY=VALUE` words, checked against what a workload declares.

pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) default: u64,
    /// Whether `scale` multiplies it: true of what decides how long a run takes.
    pub(crate) scaled: bool,
    /// With less than this there is nothing to measure, or the workload would take another value.
    pub(crate) least: u64,
    /// What its values are called, from 0 on, where they are no numbers.
    pub(crate) words: &'static [&'static str],
    pub(crate) about: &'static str,
}

pub(crate) const fn fixed(name: &'static str, default: u64, about: &'static str) -> Parameter {
    Parameter { name, default, scaled: false, least: 1, words: &[], about }
}

/// One of some words, the first where nothing is said.
pub(crate) const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    about: &'static str,
) -> Parameter {
    Parameter { name, default: 0, scaled: false, least: 0, words, about }
}

pub(crate) const fn scaled(name: &'static str, default: u64, about: &'static str) -> Parameter {
    Parameter { name, default, scaled: true, least: 1, words: &[], about }
}

impl Parameter {
    /// The same with another least value; 0 where the rest is work enough.
    pub(crate) const fn least(self, least: u64) -> Self {
        Self { least, ..self }
    }

    /// What is said of it, as its value.
    fn read(&self, said: &str) -> Result<u64, String> {
        let refused = || match self.words {
            [] => format!("{}: '{said}' is no number", self.name),
            words => format!("{}: '{said}' is not {}", self.name, words.join(" or ")),
        };
        let place =
            || self.words.iter().zip(0..).find(|(word, _)| **word == said).map(|word| word.1);
        let value = if self.words.is_empty() { said.parse().ok() } else { place() };
        value.ok_or_else(refused)
    }

    /// Its default as it is written.
    pub(crate) fn usual(&self) -> String {
        match self.words {
            [] => self.default.to_string(),
            words => words.join("|"),
        }
    }
}

pub(crate) const COMMON: &[(&str, &str)] = &[
    ("scale", "multiplies what decides how long a run takes; 1 by default"),
    ("seed", "decides the random choices; 1 by default"),
    ("allocator", "malloc by default; null, or a region allocator of this program"),
    ("region", "MiB of the region for a region allocator; 512 by default"),
    (
        "tail",
        "1: times every call and prints a histogram, instead of being fast; 2: and the slowest call without a page fault",
    ),
];

#[derive(Debug)]
pub(crate) struct Arguments {
    values: Vec<(&'static str, u64)>,
    /// What decides the random choices.
    pub(crate) seed: u64,
    pub(crate) allocator: String,
    pub(crate) region_bytes: usize,
    pub(crate) tail: u64,
}

impl Arguments {
    /// Reads `words`; says what is wrong with them.
    pub(crate) fn parse(declared: &[Parameter], words: &[String]) -> Result<Self, String> {
        let mut scale = 1.0;
        let mut all = Self {
            values: Vec::new(),
            seed: 1,
            allocator: "malloc".to_owned(),
            region_bytes: 512 << 20,
            tail: 0,
        };
        let mut given: Vec<(&'static str, u64)> = Vec::new();
        for word in words {
            let (key, value) =
                word.split_once('=').ok_or_else(|| format!("'{word}' is not KEY=VALUE"))?;
            let number =
                || value.parse::<u64>().map_err(|_| format!("{key}: '{value}' is no number"));
            match key {
                "scale" => {
                    scale = value
                        .parse::<f64>()
                        .ok()
                        .filter(|s| *s > 0.0 && s.is_finite())
                        .ok_or_else(|| format!("scale: '{value}' is no positive number"))?;
                }
                "seed" => all.seed = number()?,
                "allocator" => value.clone_into(&mut all.allocator),
                "region" => {
                    let mib = usize::try_from(number()?).unwrap_or(usize::MAX);
                    all.region_bytes = mib.saturating_mul(1 << 20);
                }
                "tail" => all.tail = number()?,
                _ => match declared.iter().find(|p| p.name == key) {
                    Some(p) => given.push((p.name, p.read(value)?)),
                    None => return Err(unknown(key, declared)),
                },
            }
        }
        for p in declared {
            let said = given.iter().rev().find(|(name, _)| *name == p.name);
            let value = said.map_or(p.default, |(_, value)| *value);
            let value = if p.scaled { scaled_by(value, scale) } else { value };
            all.values.push((p.name, value));
        }
        Ok(all)
    }

    /// Says which value leaves nothing to measure. A run does not ask: it ends well all the same.
    pub(crate) fn are_of_use(&self, declared: &[Parameter]) -> Result<(), String> {
        let value = |name: &str| self.values.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        for p in declared {
            if let Some(value) = value(p.name).filter(|&value| value < p.least) {
                return Err(format!(
                    "{}: {value} is too little; it is at least {}",
                    p.name, p.least
                ));
            }
        }
        if let (Some(smallest), Some(largest)) = (value("smallest"), value("largest"))
            && largest < smallest
        {
            return Err(format!(
                "largest: {largest} is too little; it is at least smallest, which is {smallest}"
            ));
        }
        Ok(())
    }

    pub(crate) fn get(&self, name: &str) -> u64 {
        let found = self.values.iter().find(|(n, _)| *n == name);
        found.unwrap_or_else(|| unreachable!("{name} is not declared")).1
    }

    /// The same as a size or a count of things in memory.
    pub(crate) fn size(&self, name: &str) -> usize {
        usize::try_from(self.get(name)).unwrap_or(usize::MAX)
    }
}

/// At least 1, unless it was 0.
fn scaled_by(value: u64, scale: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count times a positive factor; `as` saturates"
    )]
    let scaled = (value as f64 * scale).round() as u64;
    scaled.max(value.min(1))
}

fn unknown(key: &str, declared: &[Parameter]) -> String {
    let mut names: Vec<&str> = declared.iter().map(|p| p.name).collect();
    names.extend(COMMON.iter().map(|(name, _)| *name));
    format!("no parameter {key}; there are {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: &[Parameter] = &[
        scaled("operations", 1000, ""),
        fixed("threads", 4, ""),
        choice("pages", &["kernel", "bare"], ""),
    ];

    fn parse(words: &[&str]) -> Result<Arguments, String> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        Arguments::parse(SOME, &words)
    }

    #[test]
    fn defaults_scale_and_what_is_said() {
        let a = parse(&[]).unwrap();
        assert_eq!((a.get("operations"), a.size("threads"), a.seed), (1000, 4, 1));
        let a = parse(&["scale=0.25", "threads=2", "seed=9", "tail=1"]).unwrap();
        assert_eq!((a.get("operations"), a.size("threads"), a.seed), (250, 2, 9));
        assert_eq!(a.tail, 1);
        assert_eq!(parse(&["scale=0.00001"]).unwrap().get("operations"), 1);
    }

    #[test]
    fn words_are_numbers_from_0_on() {
        let of = |words: &[&str]| parse(words).map(|a| a.get("pages"));
        assert_eq!((of(&[]), of(&["pages=kernel"]), of(&["pages=bare"])), (Ok(0), Ok(0), Ok(1)));
        assert_eq!(of(&["pages=1"]).unwrap_err(), "pages: '1' is not kernel or bare");
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(parse(&["thread=2"]).unwrap_err().contains("operations, threads, pages, scale"));
        assert!(parse(&["threads=two"]).unwrap_err().contains("two"));
        assert!(parse(&["scale=-1"]).unwrap_err().contains("-1"));
        assert!(parse(&["x"]).unwrap_err().contains("KEY=VALUE"));
    }

    #[test]
    fn what_leaves_no_work_is_named_with_its_least_value() {
        let sizes =
            [fixed("threads", 4, "").least(2), fixed("smallest", 8, ""), fixed("largest", 9, "")];
        let of_use =
            |word: &str| Arguments::parse(&sizes, &[word.to_owned()]).unwrap().are_of_use(&sizes);
        assert_eq!(of_use("threads=2"), Ok(()));
        assert_eq!(of_use("threads=1").unwrap_err(), "threads: 1 is too little; it is at least 2");
        assert!(of_use("largest=0").unwrap_err().contains("largest: 0"));
        let crossed = of_use("smallest=500").unwrap_err();
        assert_eq!(crossed, "largest: 9 is too little; it is at least smallest, which is 500");
    }
}
