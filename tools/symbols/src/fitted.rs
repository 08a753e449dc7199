//! A site's name in few characters: what tells most is kept, which is the function and the line.
//!
//! ```text
//! app::store::Table<K, V>::insert < app::serve (server.cc:14)     as it is, where there is room
//! Table<…>::insert < serve (server.cc:14)                         without what functions are part of
//! Table<…>::ins… (server.cc:14)                                   the callers go, then the end of the function
//! ```

/// The name of a site and its callers, as [`Names::path_name`](crate::Names::path_name) writes it, in at most `most` characters.
pub fn fitted(name: &str, most: usize) -> String {
    let fits = |text: &str| text.chars().count() <= most;
    if fits(name) {
        return name.to_owned();
    }
    let (functions, place) = match name.rsplit_once(" (") {
        Some((functions, place)) => (functions, format!(" ({place}")),
        None => (name, String::new()),
    };
    let functions: Vec<&str> = functions.split(" < ").collect();
    for parts in [2, 1] {
        let plain: Vec<&str> = functions.iter().map(|function| last(function, parts)).collect();
        let short = plain.join(" < ") + &place;
        if fits(&short) {
            return short;
        }
    }
    let function = last(functions[0], 1);
    let room = most.saturating_sub(place.chars().count());
    if room >= LEAST { cut(function, room) + &place } else { cut(function, most) }
}

/// A function has at least so many characters beside its place.
const LEAST: usize = 8;

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

/// The last so many parts of a function's name; what has no name of its own, as a closure, is told with what it is in.
fn last(function: &str, parts: usize) -> &str {
    let (mut depth, mut found, mut from) = (0_i32, 0, 0);
    let bytes = function.as_bytes();
    let mut end = bytes.len();
    for at in (0..bytes.len()).rev() {
        match bytes[at] {
            b'>' | b')' | b'}' | b']' => depth += 1,
            b'<' | b'(' | b'{' | b'[' => depth -= 1,
            b':' if depth == 0 && at > 0 && bytes[at - 1] == b':' && at + 1 < end => {
                let part = &function[at + 1..end];
                end = at - 1;
                found += usize::from(!is_nameless(part));
                if found == parts {
                    from = at + 1;
                    break;
                }
            }
            _ => {}
        }
    }
    &function[from..]
}

/// Whether it says nothing without what it is in.
fn is_nameless(part: &str) -> bool {
    part.starts_with('{') || part.starts_with("operator()")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_function_and_its_line_stay() {
        let of = [
            ("main (a.c:1)", 40, "main (a.c:1)"),
            ("app::store::Table<…>::insert (server.cc:14)", 34, "Table<…>::insert (server.cc:14)"),
            ("app::store::Table<…>::insert (server.cc:14)", 24, "insert (server.cc:14)"),
            ("app::work::operator() (n2_server.cc:14)", 36, "work::operator() (n2_server.cc:14)"),
            ("c3_kv::run::{{closure}} (c3_kv.rs:10)", 33, "run::{{closure}} (c3_kv.rs:10)"),
            (
                "c3_kv::main::{closure#0}::{closure#1} (c3_kv.rs:10)",
                45,
                "main::{closure#0}::{closure#1} (c3_kv.rs:10)",
            ),
            ("dup < app::parse < main (server.cc:14)", 33, "dup < parse < main (server.cc:14)"),
            ("dup < app::parse < main (server.cc:14)", 30, "dup (server.cc:14)"),
            ("a_function_with_a_long_name (server.cc:14)", 30, "a_function_wit… (server.cc:14)"),
            ("a_function_with_a_long_name (server.cc:14)", 16, "a_function_with…"),
            ("server+0x12345", 8, "server+…"),
        ];
        for (name, most, expected) in of {
            assert_eq!(fitted(name, most), expected, "{name} in {most}");
        }
    }

    #[test]
    fn no_name_is_too_long_or_cut_within_a_letter() {
        for name in ["", "::", "ü::ä::<ö> (ß.c:1)", "{{closure}}", "a < b < c", "x (y"] {
            for most in 1..20 {
                assert!(fitted(name, most).chars().count() <= most, "{name} in {most}");
            }
        }
    }
}
