use super::testing::Tree;
use super::*;

fn missing_in(files: &[(&str, &str)]) -> Vec<String> {
    let tree = Tree::new(files.iter().map(|(name, text)| ((*name).to_owned(), *text)));
    faults(tree.top()).unwrap().1
}

#[test]
fn links_are_followed_from_their_document() {
    let found = missing_in(&[
        (
            "README.md",
            "[a](docs/a.md) [gone](docs/b.md#part) [web](https://example.org/x) [here](#part)",
        ),
        ("docs/a.md", "see\n[top](../README.md), [self](a.md) and [gone](README.md)"),
    ]);
    assert_eq!(found, ["README.md:1: docs/b.md", "docs/a.md:2: README.md"]);
}

#[test]
fn reference_links_count() {
    assert_eq!(missing_in(&[("A.md", "[x]\n\n[x]: docs/x.md\n")]), ["A.md:1: docs/x.md"]);
}

#[test]
fn code_spans_are_seen_from_the_top() {
    let found = missing_in(&[
        ("docs/deep/a.md", "`crates/base/` and `crates/page` and ``crates/gone.rs:12``"),
        ("crates/base/lib.rs", ""),
        ("crates/page", ""),
    ]);
    assert_eq!(found, ["docs/deep/a.md:1: crates/gone.rs"]);
}

#[test]
fn what_is_no_path_is_left_alone() {
    let text = "`cargo test -p x` `a/b` `and/or` `crates` `crates/<name>` `docs/NN…`\n```\n`crates/gone`\n```\n`tail";
    assert_eq!(missing_in(&[("A.md", text)]), Vec::<String>::new());
}

#[test]
fn braces_and_stars_expand() {
    let files = [
        ("A.md", "`crates/{a,b}/x.rs` `docs/*.md` `docs/b*` `docs/*/y.md` `docs/*.mdx`"),
        ("crates/a/x.rs", ""),
        ("docs/b.md", ""),
    ];
    assert_eq!(
        missing_in(&files),
        ["A.md:1: crates/b/x.rs", "A.md:1: docs/*/y.md", "A.md:1: docs/*.mdx"]
    );
}

#[test]
fn a_line_ends_at_120_unless_a_table_or_a_command_has_it() {
    let long = "é".repeat(121);
    let text = format!(
        "{}\n| {long} |\n<!-- written by x: begin -->\n{long}\n<!-- written by x: end -->\n    {long}\n",
        &long[2..]
    );
    assert_eq!(missing_in(&[("a/README.md", &text)]), ["a/README.md:6: more than 120 characters"]);
}

#[test]
fn a_link_cannot_leave_the_tree() {
    assert_eq!(
        missing_in(&[("A.md", "[etc](../../../../etc/passwd)")]),
        ["A.md:1: ../../../../etc/passwd"]
    );
}
