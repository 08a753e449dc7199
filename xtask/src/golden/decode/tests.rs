use super::*;

/// Branches, loads, stores, atomics and calls of one instruction.
fn kinds(text: &str) -> [u32; 5] {
    let c = classify(text);
    [c.branches, c.loads, c.stores, c.atomics, c.calls]
}

#[test]
fn each_kind_of_instruction_is_counted_as_what_it_does() {
    let none = [0, 0, 0, 0, 0];
    assert_eq!(kinds("mov    %rdi,%rax"), none);
    assert_eq!(kinds("lea    0x1f(%rdi,%rsi,8),%rax"), none);
    assert_eq!(kinds("nopw   0x0(%rax,%rax,1)"), none);
    assert_eq!(kinds("ret"), none);
    assert_eq!(kinds("jmp    1ed40"), none);
    assert_eq!(kinds("ja     1ed40"), [1, 0, 0, 0, 0]);
    assert_eq!(kinds("jmp    *0x2fe2(%rip)"), [0, 1, 0, 0, 0]);
    assert_eq!(kinds("call   1ed40"), [0, 0, 0, 0, 1]);
    assert_eq!(kinds("mov    %fs:(%rax),%rcx"), [0, 1, 0, 0, 0]);
    assert_eq!(kinds("mov    %fs:0x28,%rcx"), [0, 1, 0, 0, 0]);
    assert_eq!(kinds("mov    %rcx,0x8(%rax)"), [0, 0, 1, 0, 0]);
    assert_eq!(kinds("cmp    %rcx,0x8(%rax)"), [0, 1, 0, 0, 0]);
    assert_eq!(kinds("cmp    0x8(%rax),%rcx"), [0, 1, 0, 0, 0]);
    assert_eq!(kinds("addq   $0x8,(%rax)"), [0, 1, 1, 0, 0]);
    assert_eq!(kinds("push   %rbx"), [0, 0, 1, 0, 0]);
    assert_eq!(kinds("pop    %rbx"), [0, 1, 0, 0, 0]);
    assert_eq!(kinds("popcnt (%rdi),%rbx"), [0, 1, 0, 0, 0]);
    assert_eq!(kinds("lock xadd %rax,(%rdi)"), [0, 1, 1, 1, 0]);
    assert_eq!(kinds("xchg   %rax,(%rdi)"), [0, 1, 1, 1, 0]);
    assert_eq!(kinds("xchg   %ax,%ax"), none);
    assert_eq!(kinds("movzbl (%rdi,%rcx,1),%ecx"), [0, 1, 0, 0, 0]);
}

#[test]
fn the_usual_path_is_the_most_frequent_one_without_the_caller() {
    let step = |file: &str, offset| Step { file: file.into(), offset };
    let stretch = |offsets: &[u64]| Stretch {
        program: "/caller".into(),
        steps: core::iter::once(step("/caller", 1))
            .chain(offsets.iter().map(|&o| step("/lib", o)))
            .collect(),
    };
    let all = [stretch(&[1, 2, 3]), stretch(&[1, 2]), stretch(&[1, 2])];
    assert_eq!(usual_path(&all), Ok(vec![step("/lib", 1), step("/lib", 2)]));
}
