//! Names of functions as people write them: Rust's without its hash, C++'s without parameters.

use core::fmt::{self, Write};

use cpp_demangle::{BorrowedSymbol, DemangleOptions};

/// Names are cut here: a few bytes of a mangled name can stand for megabytes.
const LONGEST: usize = 2048;

/// The name of a function; one that is not mangled is its own.
pub fn demangle(mangled: &str) -> String {
    let mut out = Bounded(String::new());
    if is_rust(mangled)
        && let Ok(name) = rustc_demangle::try_demangle(mangled)
    {
        // What does not fit is cut.
        let _ = write!(out, "{name:#}");
        return out.0;
    }
    if mangled.starts_with("_Z") && mangled.len() <= 2 * LONGEST {
        // `.cold`, `.part.0` and their like are the compiler's.
        let plain = mangled.split_once('.').map_or(mangled, |(plain, _)| plain);
        let options =
            DemangleOptions::new().no_params().no_return_type().hide_expression_literal_types();
        if let Ok(symbol) = BorrowedSymbol::new(plain.as_bytes()) {
            let is_whole = symbol.structured_demangle(&mut out, &options).is_ok();
            if is_whole || out.0.len() >= LONGEST {
                return out.0;
            }
        }
        out.0.clear();
    }
    let _ = out.write_str(mangled);
    out.0
}

/// A name without parameters and without what stands in its pointed brackets: `std::vector<…>::push_back`.
pub fn short(name: &str) -> String {
    let (mut out, mut depth, mut last) = (String::new(), 0_usize, ' ');
    let whole = without_parameters(name);
    for (at, c) in whole.char_indices() {
        // `operator<`, `operator->`, and Rust's `<T as Trait>::f` are no arguments.
        let is_operator = whole[..at].trim_end_matches(['<', '>', '=', '-']).ends_with("operator");
        match c {
            '<' if !is_operator && (depth > 0 || at > 0) => {
                if depth == 0 {
                    out.push_str("<…");
                }
                depth += 1;
            }
            '>' if depth > 0 && last != '-' => {
                depth -= 1;
                if depth == 0 {
                    out.push('>');
                }
            }
            _ if depth == 0 => out.push(c),
            _ => {}
        }
        last = c;
    }
    out
}

/// Without what stands in the round brackets at the end, and behind them.
pub(crate) fn without_parameters(name: &str) -> &str {
    let trimmed = name.strip_suffix(" const").unwrap_or(name);
    if !trimmed.ends_with(')') {
        return name;
    }
    let mut depth = 0;
    for (at, c) in trimmed.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let before = &trimmed[..at];
            let is_all =
                before.is_empty() || before.ends_with("::") || before.ends_with("operator");
            return if is_all { name } else { before };
        }
    }
    name
}

/// `_R…`, or the older `_ZN…17h0123456789abcdefE`.
fn is_rust(mangled: &str) -> bool {
    let has_hash = || {
        let (_, hash) = mangled.rsplit_once("17h")?;
        let (digits, rest) = hash.split_at_checked(16)?;
        let is_hash = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_hash && rest.starts_with('E')).then_some(())
    };
    mangled.starts_with("_R") || (mangled.starts_with("_ZN") && has_hash().is_some())
}

struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = LONGEST.saturating_sub(self.0.len());
        let fits = text.floor_char_boundary(room.min(text.len()));
        self.0.push_str(&text[..fits]);
        if fits < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_languages_and_neither() {
        let of = [
            ("_ZN5cache6insertEiRKSs", "cache::insert"),
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
            (
                "_ZN49_$LT$app..Cache$u20$as$u20$core..clone..Clone$GT$5clone17h0123456789abcdefE.llvm.7",
                "<app::Cache as core::clone::Clone>::clone",
            ),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_ZN3app4moveEi.part.0", "app::move"),
            ("main", "main"),
            ("_Zwrong", "_Zwrong"),
            ("", ""),
        ];
        for (mangled, name) in of {
            assert_eq!(demangle(mangled), name, "{mangled}");
        }
    }

    #[test]
    fn short_names_keep_what_people_look_for() {
        let of = [
            (
                "std::vector<int, std::allocator<int> >::push_back(int&&)",
                "std::vector<…>::push_back",
            ),
            ("cache::insert(std::pair<int, int> const&) const", "cache::insert"),
            ("(anonymous namespace)::serve", "(anonymous namespace)::serve"),
            ("app::operator<(int, int)", "app::operator<"),
            ("Functor::operator()(int)", "Functor::operator()"),
            ("<app::Cache as core::ops::Drop>::drop", "<app::Cache as core::ops::Drop>::drop"),
            ("app::map::<fn() -> u8>", "app::map::<…>"),
            ("main", "main"),
        ];
        for (name, expected) in of {
            assert_eq!(short(name), expected, "{name}");
        }
    }

    #[test]
    fn a_name_that_grows_without_end_is_cut() {
        // Each type has the one before it twice.
        let mut name = "_Z1fISt4pairIii".to_owned();
        for n in 0..30 {
            let base = char::from_digit(n, 36).unwrap().to_ascii_uppercase();
            name += &format!("ESt4pairIS{base}_S{base}_");
        }
        assert!(demangle(&(name + "EEvv")).len() <= LONGEST);
        assert!(demangle(&"a".repeat(LONGEST * 3)).len() <= LONGEST);
    }
}
