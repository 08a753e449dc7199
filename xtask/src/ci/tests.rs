use super::*;

#[test]
fn names_keep_their_order_and_unknown_ones_are_named() {
    let names = |words: &[&'static str]| {
        chosen(words).map(|steps| steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>())
    };
    assert_eq!(names(&["paths", "fmt"]), Ok(vec!["paths", "fmt"]));
    assert_eq!(names(&["fmt", "frm"]), Err("frm"));
}

#[test]
fn the_script_takes_its_steps_from_here() {
    let script = std::fs::read_to_string(crate::peers::root().join(".ci/run")).unwrap();
    assert!(script.lines().last().is_some_and(|line| line.ends_with("/xtask-ci\" ci \"$@\"")));
}

#[test]
fn the_command_line_is_words_and_options() {
    let parsed = crate::parsed::<Options>("test storm --all --package heapwright").unwrap();
    assert_eq!((parsed.words.len(), parsed.all, parsed.packages.len()), (2, true, 1));
}
