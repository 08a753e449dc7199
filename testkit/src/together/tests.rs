use super::*;
use crate::c::C;
use crate::generate::Generator;

#[test]
fn several_programs_read_back() {
    let by = Generator { ops: 20, exchange: true, ..Generator::default() };
    let programs = vec![by.program(1), by.program(2), Program::default(), by.program(3)];
    assert_eq!(from_text(&to_text(&programs)), Ok(programs));
}

#[test]
fn errors_count_lines_over_all_programs() {
    let error = from_text("--- thread 0\nfree 0\n--- thread 1\nfre 0\n").unwrap_err();
    assert_eq!(error.line, 4);
}

#[test]
fn threads_hand_blocks_over() {
    let c = C::new();
    let by = Generator { ops: 2000, exchange: true, budget: 8 << 20, ..Generator::default() };
    let programs: Vec<Program> = (0..4).map(|seed| by.program(seed)).collect();
    let ran = run_together(&Subject::new(&c), &programs, &Options::default());
    assert!(ran.expect("the C malloc is right").blocks > 2000);
}
