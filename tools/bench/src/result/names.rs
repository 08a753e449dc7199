//! What a result says of files: their names, and not the folders of the machine they are on. Results are shown to
//! others.

/// `text` with each absolute path in it replaced by its last part: `-a mine=/home/me/libmine.so` becomes
/// `-a mine=libmine.so`. Relative paths and addresses of the web stay.
///
/// A path begins at the start of a word, or after a character that words are put together with.
pub fn without_folders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let path = &rest[..rest.find(is_end).unwrap_or(rest.len())];
        let is_address = path.starts_with("//") && before == Some(':');
        let is_start =
            || before.is_none_or(is_border) || ends_with_flag(&text[..text.len() - rest.len()]);
        let length = if first == '/' && !is_address && is_start() {
            let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            out.push_str(if last.is_empty() { "/" } else { last });
            path.len()
        } else {
            out.push(first);
            first.len_utf8()
        };
        before = rest[..length].chars().next_back();
        rest = &rest[length..];
    }
    out
}

/// Whether the last word so far is a dash and a letter, whose value may follow at once.
fn ends_with_flag(text: &str) -> bool {
    let mut back = text.chars().rev();
    back.next().is_some_and(char::is_alphabetic)
        && back.next() == Some('-')
        && back.next().is_none_or(is_border)
}

/// What may stand before a path.
fn is_border(c: char) -> bool {
    c.is_whitespace() || "=,:;'\"`(<>|&@[{".contains(c)
}

fn is_end(c: char) -> bool {
    c.is_whitespace() || ",:;'\"`)<>|&]}".contains(c)
}

#[cfg(test)]
mod tests {
    use super::without_folders;

    #[test]
    fn only_the_last_part_of_an_absolute_path_stays() {
        for (text, kept) in [
            ("/home/me/build/server", "server"),
            ("mine=/home/me/libmine.so", "mine=libmine.so"),
            ("--data=/srv/x/ --port=80", "--data=x --port=80"),
            ("'/home/me/my dir/x'", "'my dir/x'"),
            ("cat /etc/passwd | sort >/tmp/out", "cat passwd | sort >out"),
            ("/a/b.c:12: error in /c/d", "b.c:12: error in d"),
            ("cc -I/usr/include -o/tmp/x a-b/c", "cc -Iinclude -ox a-b/c"),
            ("a/b ../c ./d 1/2", "a/b ../c ./d 1/2"),
            ("http://host/path", "http://host/path"),
            ("ls / //", "ls / /"),
            ("größe=/ä/ö", "größe=ö"),
        ] {
            assert_eq!(without_folders(text), kept, "{text}");
        }
    }
}
