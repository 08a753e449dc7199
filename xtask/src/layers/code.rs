//! What a Rust source says outside its comments, strings and tests, line for line.
//!
//! Not a parser: enough of the lexer to tell text from code, and brace counting to find where a `#[cfg(test)]` item
//! ends. Everything left out becomes spaces, so line numbers stay true.

/// `source` with comments and the insides of strings and character literals blanked.
pub(super) fn without_text(source: &str) -> String {
    let chars: Vec<char> = source.chars().collect();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while at < chars.len() {
        let end = text_end(&chars, at);
        if end == at {
            out.push(chars[at]);
            at += 1;
        } else {
            out.extend(chars[at..end].iter().map(|&c| if c == '\n' { '\n' } else { ' ' }));
            at = end;
        }
    }
    out
}

/// Where the comment, string or character literal that starts at `at` ends; `at` itself when none does.
fn text_end(chars: &[char], at: usize) -> usize {
    let next = chars.get(at + 1).copied();
    match chars[at] {
        '/' if next == Some('/') => find(chars, at, |c| c == '\n'),
        '/' if next == Some('*') => block_comment_end(chars, at),
        '"' => string_end(chars, at),
        'r' if !continues_word(chars, at) => raw_string_end(chars, at),
        '\'' if next == Some('\\') => find(chars, at + 3, |c| c == '\'') + 1,
        '\'' if chars.get(at + 2) == Some(&'\'') => at + 3,
        _ => at,
    }
    .min(chars.len())
}

fn find(chars: &[char], from: usize, wanted: impl Fn(char) -> bool) -> usize {
    chars.iter().skip(from).position(|&c| wanted(c)).map_or(chars.len(), |n| from + n)
}

/// `br"…"` starts a raw string too, but the `r` of `for` does not.
fn continues_word(chars: &[char], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|i| chars[i]);
    let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    match before(1) {
        Some('b' | 'c') => word(before(2)),
        other => word(other),
    }
}

fn block_comment_end(chars: &[char], start: usize) -> usize {
    let (mut depth, mut at) = (0, start);
    while at < chars.len() {
        match (chars[at], chars.get(at + 1)) {
            ('/', Some('*')) => (depth, at) = (depth + 1, at + 2),
            ('*', Some('/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn string_end(chars: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

fn raw_string_end(chars: &[char], start: usize) -> usize {
    let hashes = chars[start + 1..].iter().take_while(|&&c| c == '#').count();
    if chars.get(start + 1 + hashes) != Some(&'"') {
        return start;
    }
    let mut at = start + 2 + hashes;
    while at < chars.len() {
        let closes = chars[at] == '"'
            && chars[at + 1..].iter().take(hashes).filter(|&&c| c == '#').count() == hashes;
        if closes {
            return at + 1 + hashes;
        }
        at += 1;
    }
    at
}

/// What is left of `code` (already [`without_text`]) when its test items are blanked, and the names of the modules
/// it declares for tests only: `#[cfg(test)] mod tests;`.
pub(super) fn without_tests(code: &str) -> (String, Vec<String>) {
    let mut out = code.to_owned();
    let mut modules = Vec::new();
    let mut from = 0;
    while let Some(start) = out[from..].find("#[cfg(").map(|n| from + n) {
        let attribute_end = start + closing(&out[start..], '[', ']');
        from = attribute_end;
        if !means_test(&out[start..attribute_end]) {
            continue;
        }
        let end = attribute_end + item_end(&out[attribute_end..]);
        modules.extend(declared_module(&out[attribute_end..end]));
        let blank: String =
            out[start..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        out.replace_range(start..end, &blank);
        from = start + blank.len();
    }
    (out, modules)
}

/// `cfg(test)` and `cfg(all(test, …))`; `any(test, …)` is compiled outside tests too.
fn means_test(attribute: &str) -> bool {
    let condition: String = attribute.chars().filter(|c| !c.is_whitespace()).collect();
    condition == "#[cfg(test)]" || condition.starts_with("#[cfg(all(test,")
}

/// Where the item after an attribute ends: at its `;`, or at the brace that closes it.
fn item_end(code: &str) -> usize {
    let mut at = 0;
    while let Some(c) = code[at..].chars().next() {
        match c {
            ';' => return at + 1,
            '{' => return at + closing(&code[at..], '{', '}'),
            '#' | '[' => at += closing(&code[at..], '[', ']').max(1),
            '(' => at += closing(&code[at..], '(', ')'),
            _ => at += c.len_utf8(),
        }
    }
    code.len()
}

/// The offset just behind the bracket that closes the first `open` of `code`.
fn closing(code: &str, open: char, close: char) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + c.len_utf8();
            }
        }
    }
    code.len()
}

fn declared_module(item: &str) -> Option<String> {
    let words: Vec<&str> = item.trim_end_matches(';').split_whitespace().collect();
    match words.as_slice() {
        [.., "mod", name] if item.trim_end().ends_with(';') => Some((*name).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
