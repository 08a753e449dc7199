use super::*;

#[test]
fn any_bytes_are_a_string() {
    let mut out = String::new();
    text(&mut out, b"a\"\\\n\x1b\xff\xc3\xa9").expect("strings take all");
    assert_eq!(out, "\"a\\\"\\\\\\u000a\\u001b\u{fffd}é\"");
}
