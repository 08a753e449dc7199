use super::*;

fn visible(source: &str) -> String {
    without_tests(&without_text(source)).0.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn comments_and_strings_go() {
    assert_eq!(visible("a // std::x\nb /* std /* y */ z */ c"), "a b c");
    assert_eq!(visible(r#"let s = "std::\"x"; t"#), "let s = ; t");
    assert_eq!(visible(r##"let s = r#"std::"x"#; t"##), "let s = ; t");
    assert_eq!(visible(r##"let s = br#"std::"x"#; t"##), "let s = b ; t");
}

#[test]
fn lines_stay_where_they_are() {
    let code = without_text("a\n/* one\ntwo */\nb \"c\nd\"\ne");
    assert_eq!(code.lines().count(), 6);
    assert_eq!(code.lines().nth(5), Some("e"));
}

#[test]
fn a_lifetime_is_not_a_character() {
    assert_eq!(visible("fn f<'a>(x: &'a str) {}"), "fn f<'a>(x: &'a str) {}");
    assert_eq!(visible(r"let q = ['\'', '\\', '\u{41}', '{', x];"), "let q = [ , , , , x];");
}

#[test]
fn test_items_go_with_their_bodies() {
    assert_eq!(visible("a; #[cfg(test)] #[rustfmt::skip] fn t() { { std::x } } b;"), "a; b;");
    assert_eq!(visible("#[cfg(all(test, not(loom)))] use std::vec; b;"), "b;");
    assert_eq!(visible("#[cfg( test )]\nextern crate std; b;"), "b;");
}

#[test]
fn other_conditions_stay() {
    let kept = "#[cfg(any(test, feature = ))] fn check() { std::x }";
    assert_eq!(visible("#[cfg(any(test, feature = \"check\"))] fn check() { std::x }"), kept);
    assert_eq!(visible("#[cfg(not(test))] std::x;"), "#[cfg(not(test))] std::x;");
}

#[test]
fn test_modules_in_files_are_named() {
    let (_, modules) =
        without_tests("#[cfg(test)]\nmod tests;\n#[cfg(test)] pub(crate) mod tools; mod real;");
    assert_eq!(modules, ["tests", "tools"]);
    assert!(without_tests("#[cfg(test)] mod inside { fn f() {} }").1.is_empty());
}

#[test]
fn half_written_source_ends() {
    for source in
        ["\"", "r#\"", "/*", "'", "'\\", "#[cfg(test)]", "#[cfg(test", "#[cfg(test)] fn f() {"]
    {
        let code = without_text(source);
        without_tests(&code);
    }
}
