use super::*;

fn flow(arch: Arch, name: &str, operands: &str) -> Flow {
    arch.flow(0x8000_0000, &Text { name, operands }, false)
}

#[test]
fn riscv_branches_calls_and_returns() {
    let riscv = |name, operands| flow(Arch::Riscv, name, operands);
    assert_eq!(riscv("addi", "sp,sp,-32"), Flow::Next);
    assert_eq!(riscv("c.bnez", "a0,80000010 <f+0x10>"), Flow::Branch(0x8000_0010));
    assert_eq!(riscv("jal", "zero,80000020 <g>"), Flow::Jump(0x8000_0020));
    assert_eq!(riscv("jal", "ra,80000020 <g>"), Flow::Call(0x8000_0020));
    assert_eq!(riscv("jalr", "ra,-268(ra) # 80000ef4 <panic>"), Flow::Call(0x8000_0EF4));
    assert_eq!(riscv("jalr", "zero,18(t1) # 80000ef4 <panic>"), Flow::Jump(0x8000_0EF4));
    assert_eq!(riscv("c.jr", "ra"), Flow::Return);
    assert_eq!(riscv("jalr", "zero,0(t0)"), Flow::Return);
    assert_eq!(riscv("c.jr", "a5"), Flow::Table(Vec::new()));
    assert_eq!(riscv("c.jalr", "a5"), Flow::CallIndirect);
    assert_eq!(riscv("c.j", "80000000 <f>"), Flow::Stop, "a loop of one instruction");
    assert_eq!(riscv("c.unimp", ""), Flow::Stop);
}

#[test]
fn thumb_conditions_and_returns() {
    let thumb = |name, operands| flow(Arch::Thumb, name, operands);
    assert_eq!(thumb("bls.n", "80000010 <f+0x10>"), Flow::Branch(0x8000_0010));
    assert_eq!(thumb("bl", "80000010 <g>"), Flow::Call(0x8000_0010));
    assert_eq!(thumb("blt.w", "80000010 <f>"), Flow::Branch(0x8000_0010));
    assert_eq!(thumb("cbz", "r0, 80000010 <f>"), Flow::Branch(0x8000_0010));
    assert_eq!(thumb("b.w", "80000010 <g>"), Flow::Jump(0x8000_0010));
    assert_eq!(thumb("bx", "lr"), Flow::Return);
    assert_eq!(thumb("bxeq", "lr"), Flow::ReturnMaybe);
    assert_eq!(thumb("pop", "{r4, r5, pc}"), Flow::Return);
    assert_eq!(thumb("popne", "{r4, pc}"), Flow::ReturnMaybe);
    assert_eq!(thumb("pop", "{r4, r5}"), Flow::Next);
    assert_eq!(thumb("ldmia.w", "sp!, {r4, r5, r8, pc}"), Flow::Return);
    assert_eq!(thumb("ldr.w", "pc, [sp], #4"), Flow::Return);
    assert_eq!(thumb("tbb", "[pc, r0]"), Flow::Table(Vec::new()));
    assert_eq!(thumb("teq", "r0, r1"), Flow::Next);
    assert_eq!(arm_conditions(&["it", "ittee", "isb", "i"]), [1, 4, 0, 0]);
    let under_it = Arch::Thumb.flow(0, &Text { name: "bx", operands: "lr" }, true);
    assert_eq!(under_it, Flow::ReturnMaybe);
}

fn arm_conditions(names: &[&str]) -> Vec<usize> {
    names.iter().map(|name| Arch::Thumb.conditions(&Text { name, operands: "" })).collect()
}

#[test]
fn x86_prefixes_and_memory_operands() {
    let x86 = |name, operands| flow(Arch::X86, name, operands);
    assert_eq!(x86("jne", "80000010 <f+0x10>"), Flow::Branch(0x8000_0010));
    assert_eq!(x86("jmp", "80000010 <g>"), Flow::Jump(0x8000_0010));
    assert_eq!(x86("jmp", "rax"), Flow::Table(Vec::new()));
    assert_eq!(x86("notrack", "jmp rax"), Flow::Table(Vec::new()));
    assert_eq!(x86("call", "80000010 <g>"), Flow::Call(0x8000_0010));
    assert_eq!(x86("call", "QWORD PTR [rip+0x2fe2]        # 80003000 <hook>"), Flow::CallIndirect);
    assert_eq!(x86("repz", "ret"), Flow::Return);
    assert_eq!(x86("rep", "stos QWORD PTR es:[rdi],rax"), Flow::Repeat);
    assert_eq!(x86("lock", "cmpxchg QWORD PTR [rdi],rcx"), Flow::Next);
    assert_eq!(x86("lea", "rax,[rip+0x10]        # 80000040 <table>"), Flow::Next);
    assert_eq!(x86("ud2", ""), Flow::Stop);
}
