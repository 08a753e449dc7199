use super::super::steps::all;
use super::*;

fn state(names: &[&str], libraries: Libraries) -> State {
    let left = all().iter().filter(|step| names.contains(&step.name.as_str())).collect();
    State { left, libraries, in_workspace: 0, tally: Tally::default(), failures: String::new() }
}

fn next(state: &mut State) -> &'static str {
    match state.next(false) {
        Next::BuildLibraries => "libraries",
        Next::Take(step) => &step.name,
        Next::Wait => "wait",
        Next::End => "end",
    }
}

#[test]
fn q1_the_workspace_waits_for_the_libraries_and_the_rest_does_not() {
    let mut state = state(&["test", "fmt", "loom"], Libraries::ToBuild);
    let said = [next(&mut state), next(&mut state), next(&mut state), next(&mut state)];
    assert_eq!(said, ["libraries", "loom", "fmt", "wait"]);
    state.libraries = Libraries::Built(PathBuf::new());
    assert_eq!([next(&mut state), next(&mut state)], ["test", "end"]);
}

#[test]
fn q2_and_q3_one_builds_in_the_workspace_as_long_as_others_are_there() {
    let names = ["clippy", "test", "port", "loom"];
    let mut state = state(&names, Libraries::Built(PathBuf::new()));
    let said = [next(&mut state), next(&mut state), next(&mut state), next(&mut state)];
    assert_eq!(said, ["test", "port", "loom", "clippy"]);
    assert_eq!(state.in_workspace, 2);
}

#[test]
fn without_a_step_of_the_workspace_no_library_is_built() {
    let mut state = state(&["fmt", "loom"], Libraries::ToBuild);
    assert_eq!([next(&mut state), next(&mut state), next(&mut state)], ["loom", "fmt", "end"]);
}

#[test]
fn what_a_step_writes_is_read_line_by_line_from_both_its_streams() {
    let script = "echo one; echo two >&2; echo $HEAPWRIGHT_EMBED; printf end; exit 3";
    let mut lines = Vec::new();
    let words = ["-c".to_owned(), script.to_owned()];
    let status = started(Path::new("/bin/sh"), &words, Some(Path::new("/libraries")), |line| {
        lines.push(line.to_owned());
    });
    assert_eq!(lines, ["one", "two", "/libraries", "end"]);
    assert_eq!(status.unwrap().code(), Some(3));
}
