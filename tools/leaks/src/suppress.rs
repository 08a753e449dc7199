//! Suppression files as those of LeakSanitizer: `leak:PATTERN`, one a line, of functions, files and modules.

#[derive(Debug, Clone, Default)]
pub struct Suppressions(Vec<String>);

impl Suppressions {
    /// Reads a file of them. Lines of other sanitizers, empty ones and those that begin with `#` say nothing.
    /// Errors: a line is no suppression, with its number.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut all = Vec::new();
        for (line, number) in text.lines().map(str::trim).zip(1..) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (kind, pattern) = line
                .split_once(':')
                .ok_or_else(|| format!("line {number}: '{line}' is not like leak:PATTERN"))?;
            if kind == "leak" {
                all.push(pattern.to_owned());
            }
        }
        Ok(Self(all))
    }

    /// Whether one of them is of a leak with these functions, files and modules in its stack.
    pub(crate) fn hide<'a>(&self, mut words: impl Iterator<Item = &'a str>) -> bool {
        !self.0.is_empty() && words.any(|word| self.0.iter().any(|pattern| matches(pattern, word)))
    }
}

/// A pattern is found anywhere, `*` stands for anything, `^` for the begin and `$` for the end.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, at_begin) = match pattern.strip_prefix('^') {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let (pattern, at_end) = match pattern.strip_suffix('$') {
        Some(rest) => (rest, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let mut rest = match (at_begin, text.find(first)) {
        (true, _) if text.starts_with(first) => &text[first.len()..],
        (false, Some(at)) => &text[at + first.len()..],
        _ => return false,
    };
    let mut last = first;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        last = part;
    }
    // The last part may as well be the last of the text.
    !at_end || rest.is_empty() || (!at_begin || pattern.contains('*')) && rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        let yes = [
            ("foo", "afoob"),
            ("^foo", "foob"),
            ("foo$", "foofoo"),
            ("f*b", "xfoobx"),
            ("^f*b$", "foobb"),
            ("", "x"),
        ];
        let no = [
            ("foo", "fo"),
            ("^foo", "afoo"),
            ("foo$", "foob"),
            ("f*b*f", "fb"),
            ("^foo$", "foofoo"),
        ];
        for (pattern, text) in yes {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in no {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn files() {
        let all =
            Suppressions::parse("# known\nleak:libfoo.so\n\nrace:bar\nleak:^main$\n").unwrap();
        assert!(all.hide(["x", "/usr/lib/libfoo.so.1"].into_iter()));
        assert!(all.hide(["main"].into_iter()));
        assert!(!all.hide(["bar", "domain"].into_iter()));
        assert!(Suppressions::parse("libfoo").unwrap_err().contains("line 1"));
    }
}
