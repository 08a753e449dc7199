use super::*;
use crate::wcet::flow::Arch;

/// Searches `f` of a RISC-V listing.
fn f(listing: &str) -> (Program, Found) {
    let program = Program::listed(Arch::Riscv, listing, &[]);
    let found = search(&program, &Declared::new(), program.functions["f"]);
    (program, found)
}

#[test]
fn the_longer_side_of_a_branch_counts() {
    let (_, found) = f("1000 <f>:
    1000:\tc.beqz\ta0,1008 <f+0x8>
    1002:\tc.addi\ta0,1
    1004:\tc.addi\ta0,1
    1006:\tc.addi\ta0,1
    1008:\tc.jr\tra
");
    assert_eq!(found.longest, 5);
    assert_eq!(found.path, [0x1000, 0x1002, 0x1004, 0x1006, 0x1008]);
    assert!(found.back_edges.is_empty() && found.indirect.is_empty() && found.stops.is_empty());
}

#[test]
fn a_call_adds_its_callee_each_time() {
    let (_, found) = f("1000 <f>:
    1000:\tjal\tra,2000 <g>
    1004:\tjal\tra,2000 <g>
    1008:\tc.jr\tra
2000 <g>:
    2000:\tc.addi\ta0,1
    2002:\tc.jr\tra
");
    assert_eq!(found.longest, 3 + 2 * 2);
    assert!(found.back_edges.is_empty(), "calling twice is no loop");
}

#[test]
fn a_loop_behind_a_tail_call_is_reached() {
    let (_, found) = f("1000 <f>:
    1000:\tc.j\t2000 <g>
2000 <g>:
    2000:\tc.addi\ta0,-1
    2002:\tc.bnez\ta0,2000 <g>
    2004:\tc.jr\tra
");
    assert_eq!(found.back_edges, BTreeSet::from([(0x2002, 0x2000)]));
    assert_eq!(found.longest, 4, "once round");
}

#[test]
fn a_loop_that_two_branches_enter_is_found_from_either_side() {
    let (_, found) = f("1000 <f>:
    1000:\tc.beqz\ta0,1006 <f+0x6>
    1002:\tc.addi\ta0,1
    1004:\tc.j\t1008 <f+0x8>
    1006:\tc.addi\ta0,2
    1008:\tc.bnez\ta1,1006 <f+0x6>
    100a:\tc.jr\tra
");
    assert_eq!(found.back_edges.len(), 1, "{found:?}");
}

#[test]
fn recursion_is_a_loop() {
    let (_, found) = f("1000 <f>:
    1000:\tc.beqz\ta0,1008 <f+0x8>
    1002:\tc.addi\ta0,-1
    1004:\tjal\tra,1000 <f>
    1008:\tc.jr\tra
");
    assert_eq!(found.back_edges, BTreeSet::from([(0x1004, 0x1000)]));
}

#[test]
fn what_never_returns_is_on_no_path_and_is_named() {
    let (_, found) = f("1000 <f>:
    1000:\tc.bnez\ta0,1004 <f+0x4>
    1002:\tc.jr\tra
    1004:\tc.addi\ta0,1
    1006:\tjal\tra,2000 <panic>
    100a:\tc.addi\ta0,1
    100c:\tc.bnez\ta0,100a <f+0xa>
    100e:\tc.jr\tra
2000 <panic>:
    2000:\tc.j\t2000 <panic>
");
    assert_eq!(found.longest, 2);
    assert_eq!(found.stops, BTreeSet::from([0x1004]));
    assert!(found.back_edges.is_empty(), "behind a panic there is nothing: {found:?}");
}

#[test]
fn an_unknown_target_is_named_unless_it_is_declared() {
    let listing = "1000 <f>:
    1000:\tc.addi\tsp,-16
    1002:\tc.jalr\ta5
    1004:\tc.jr\tra
";
    let (program, found) = f(listing);
    assert_eq!(found.indirect, BTreeSet::from([0x1002]));
    assert_eq!(found.longest, 3);
    let declared = Declared::from([("f".to_owned(), 40)]);
    let found = search(&program, &declared, program.functions["f"]);
    assert!(found.indirect.is_empty());
    assert_eq!(found.longest, 43);
}

#[test]
fn the_routines_that_save_registers_are_calls() {
    let (_, found) = f("1000 <f>:
    1000:\tjal\tt0,2000 <__riscv_save_1>
    1004:\tc.addi\ta0,1
    1006:\tjal\tzero,3000 <__riscv_restore_1>
2000 <__riscv_save_1>:
    2000:\tc.addi\tsp,-16
    2002:\tjalr\tzero,0(t0)
3000 <__riscv_restore_1>:
    3000:\tc.addi\tsp,16
    3002:\tc.jr\tra
");
    assert_eq!(found.longest, 7);
    assert!(found.indirect.is_empty() && found.back_edges.is_empty());
}

#[test]
fn code_that_runs_into_data_never_returns() {
    let (_, found) = f("1000 <f>:
    1000:\tc.addi\ta0,1
    1002:\t.word\t0x12345678
    1006:\tc.jr\tra
");
    assert_eq!(found.longest, 0);
}
