use super::*;

/// Branches, loads, stores, atomics and calls of one instruction.
fn kinds(code: &[u8]) -> [u32; 5] {
    let instruction = Decoder::new(64, code, DecoderOptions::NONE).decode();
    assert_eq!(instruction.len(), code.len(), "{code:x?}");
    let c = classify(&instruction);
    [c.branches, c.loads, c.stores, c.atomics, c.calls]
}

#[test]
fn each_kind_of_instruction_is_counted_as_what_it_does() {
    let none = [0, 0, 0, 0, 0];
    for (text, code, does) in [
        ("mov %rdi,%rax", &b"\x48\x89\xf8"[..], none),
        ("lea 0x1f(%rdi,%rsi,8),%rax", b"\x48\x8d\x44\xf7\x1f", none),
        ("nopw 0x0(%rax,%rax,1)", b"\x66\x0f\x1f\x44\0\0", none),
        ("prefetcht0 (%rdi)", b"\x0f\x18\x0f", none),
        ("ret", b"\xc3", none),
        ("jmp", b"\xeb\0", none),
        ("ja", b"\x77\0", [1, 0, 0, 0, 0]),
        ("jmp *(%rip)", b"\xff\x25\0\0\0\0", [0, 1, 0, 0, 0]),
        ("jmp *%rax", b"\xff\xe0", none),
        ("call", b"\xe8\0\0\0\0", [0, 0, 0, 0, 1]),
        ("call *(%rip)", b"\xff\x15\0\0\0\0", [0, 1, 0, 0, 1]),
        ("mov %fs:(%rax),%rcx", b"\x64\x48\x8b\x08", [0, 1, 0, 0, 0]),
        ("mov %fs:0x28,%rcx", b"\x64\x48\x8b\x0c\x25\x28\0\0\0", [0, 1, 0, 0, 0]),
        ("mov %rcx,0x8(%rax)", b"\x48\x89\x48\x08", [0, 0, 1, 0, 0]),
        ("cmp %rcx,0x8(%rax)", b"\x48\x39\x48\x08", [0, 1, 0, 0, 0]),
        ("cmp 0x8(%rax),%rcx", b"\x48\x3b\x48\x08", [0, 1, 0, 0, 0]),
        ("addq $0x8,(%rax)", b"\x48\x83\0\x08", [0, 1, 1, 0, 0]),
        ("push %rbx", b"\x53", [0, 0, 1, 0, 0]),
        ("pop %rbx", b"\x5b", [0, 1, 0, 0, 0]),
        ("popcnt (%rdi),%rbx", b"\xf3\x48\x0f\xb8\x1f", [0, 1, 0, 0, 0]),
        ("lock xadd %rax,(%rdi)", b"\xf0\x48\x0f\xc1\x07", [0, 1, 1, 1, 0]),
        ("xchg %rax,(%rdi)", b"\x48\x87\x07", [0, 1, 1, 1, 0]),
        ("xchg %ax,%ax", b"\x66\x90", none),
        ("movzbl (%rdi,%rcx,1),%ecx", b"\x0f\xb6\x0c\x0f", [0, 1, 0, 0, 0]),
    ] {
        assert_eq!(kinds(code), does, "{text}");
    }
}

#[test]
fn functions_and_atomics_of_a_library_are_found() {
    let maps = fs::read_to_string("/proc/self/maps").unwrap();
    let Some(libc) = maps.split_whitespace().find(|word| word.contains("libc.so")) else { return };
    let (atomics, functions) = places(Path::new(libc), &["malloc", "free", "no_such"]).unwrap();
    assert!(atomics.len() > 10 && functions.len() == 2, "{} {functions:x?}", atomics.len());
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
