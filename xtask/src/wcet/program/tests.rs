use super::*;

#[test]
fn a_table_of_distances_behind_its_jump_ends_where_its_first_target_begins() {
    let listing = "1000 <f>:
    1000:\tcmp\tr0, #2
    1002:\ttbb\t[pc, r0]
    1006:\t.short\t0x0302
    1008:\t.short\t0x0004
    100a:\tnop
    100c:\tbx\tlr
    100e:\tbx\tlr
";
    // At 0x1006: half the distances to 0x100a, 0x100c and 0x100e; the pad's 0 is not a target.
    let program =
        Program::listed(Arch::Thumb, listing, &[(0x1000, &[0, 0, 0, 0, 0, 0, 2, 3, 4, 0])]);
    let flow = &program.code[&0x1002].flow;
    assert_eq!(*flow, Flow::Table(vec![0x100A, 0x100C, 0x100E]));
}

#[test]
fn a_table_of_addresses_is_taken_up_to_the_first_that_is_none() {
    let listing = "1000 <f>:
    1000:\tauipc\ta1,0x1
    1004:\taddi\ta1,a1,0 # 2000 <table>
    1008:\tc.ld\ta1,0(a1)
    100a:\tc.jr\ta1
    100c:\tc.jr\tra
    100e:\tc.jr\tra
";
    let table = [0x100C_u64, 0x100E, 0x5000, 0x100C].map(u64::to_le_bytes).concat();
    let program = Program::listed(Arch::Riscv, listing, &[(0x2000, &table)]);
    assert_eq!(program.code[&0x100A].flow, Flow::Table(vec![0x100C, 0x100E]));
}

#[test]
fn a_table_of_distances_from_itself() {
    let listing = "1000 <f>:
    1000:\tlea\trdx,[rip+0xff9]        # 2000 <table>
    1007:\tmovsxd\trax,DWORD PTR [rdx+rdi*4]
    100b:\tadd\trax,rdx
    100e:\tjmp\trax
    1010:\tret
    1011:\tret
";
    let table = [0x1010_i32 - 0x2000, 0x1011 - 0x2000, 0].map(i32::to_le_bytes).concat();
    let program = Program::listed(Arch::X86, listing, &[(0x2000, &table)]);
    assert_eq!(program.code[&0x100E].flow, Flow::Table(vec![0x1010, 0x1011]));
}

#[test]
fn instructions_under_a_condition() {
    let listing = "1000 <f>:
    1000:\tcmp\tr0, #0
    1002:\titt\teq
    1004:\tmoveq\tr0, #1
    1006:\tbxeq\tlr
    1008:\tbx\tlr
";
    let program = Program::listed(Arch::Thumb, listing, &[]);
    assert_eq!(program.code[&0x1006].flow, Flow::ReturnMaybe);
    assert_eq!(program.code[&0x1008].flow, Flow::Return);
    assert_eq!(program.function_at(0x1006), "f");
}
