use super::*;

fn names(args: &[&str]) -> Result<Vec<&'static str>, String> {
    let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).collect();
    chosen(&args).map(|steps| steps.iter().map(|step| step.name).collect()).map_err(String::clone)
}

#[test]
fn no_name_means_all_and_tests_come_after_the_cheap_checks() {
    let all = names(&[]).unwrap();
    let at = |name| all.iter().position(|&one| one == name).unwrap();
    assert_eq!(all.len(), STEPS.len());
    assert!(at("fmt") < at("clippy") && at("clippy") < at("layers") && at("doc") < at("test"));
}

#[test]
fn names_keep_their_order_and_unknown_ones_are_named() {
    assert_eq!(names(&["paths", "fmt"]), Ok(vec!["paths", "fmt"]));
    assert_eq!(names(&["fmt", "frm"]), Err("frm".to_owned()));
}

#[test]
fn the_script_runs_every_step() {
    let script = std::fs::read_to_string(crate::peers::root().join(".ci/run")).unwrap();
    for row in ["main", "beside"] {
        assert!(
            script.contains(&format!("ci list {row}")),
            ".ci/run takes its steps from the list"
        );
    }
    assert!(BESIDE.iter().all(|name| STEPS.iter().any(|step| step.name == *name)));
}

#[test]
fn the_table_of_the_steps_in_contributing_is_the_list() {
    let text = std::fs::read_to_string(crate::peers::root().join("CONTRIBUTING.md")).unwrap();
    let table =
        text.split("| step | what it asks for |\n|---|---|\n").nth(1).expect("the table's head");
    let rows = table.lines().take_while(|line| line.starts_with('|'));
    let named: Vec<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    let steps: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
    assert_eq!(named, steps);
}
