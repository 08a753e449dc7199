use super::*;

#[test]
fn a_program_says_which_libraries_it_is_for() {
    let program = |key: &str, list: &str| Program {
        name: String::new(),
        path: PathBuf::new(),
        rule: String::new(),
        marks: vec![(key.to_owned(), list.to_owned())],
    };
    assert!(program("only", "neighbours canaries").is_for("canaries"));
    assert!(!program("only", "neighbours canaries").is_for(""));
    assert!(!program("not", "canaries").is_for("canaries"));
    assert!(program("not", "canaries").is_for("compact"));
}

#[test]
fn every_program_of_the_tests_names_its_rule() {
    for folder in ["abi/block/tests/c", "abi/block/tests/size"] {
        let programs = listed(folder).expect("the folder is there");
        assert!(programs.len() > 4, "{folder}");
        assert!(programs.iter().all(|program| !program.rule.is_empty()), "{folder}");
    }
}

#[test]
fn each_board_that_runs_has_a_machine() {
    assert!(BOARDS.iter().all(|board| board.machine.is_none() == board.machine().is_none()));
}
