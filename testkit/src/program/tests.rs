use super::*;

#[test]
fn every_operation_reads_back() {
    let ops = vec![
        Op::Malloc { slot: 1, size: 48 },
        Op::Calloc { slot: 2, count: 3, size: 16 },
        Op::Aligned { slot: 3, align: 4096, size: 0 },
        Op::Realloc { slot: 1, size: usize::MAX },
        Op::Free { slot: 1 },
        Op::FreeSized { slot: 2 },
        Op::Send { slot: 3 },
        Op::Receive { slot: 4 },
        Op::On { thread: 2 },
        Op::Exit { thread: 2 },
        Op::Purge,
        Op::Check,
        Op::Verify,
        Op::Fork,
    ];
    let program = Program { ops };
    assert_eq!(program.to_string().parse(), Ok(program));
}

#[test]
fn text_may_be_dense_commented_and_hexadecimal() {
    let program: Program =
        "malloc 0 0x30;free 0 # and so on\n\n # only this\ncheck".parse().unwrap();
    assert_eq!(program.to_string(), "malloc 0 48\nfree 0\ncheck\n");
}

#[test]
fn errors_name_the_line_and_the_operation() {
    let error = |text: &str| text.parse::<Program>().unwrap_err().to_string();
    assert!(error("check\nmaloc 0 1").starts_with("line 2: `maloc 0 1`: unknown operation"));
    assert!(error("malloc 0").contains("wrong count of numbers"));
    assert!(error("malloc 0 1 2 3").contains("too many numbers"));
    assert!(error("malloc 0 x").contains("whole numbers"));
    assert!(error("aligned 0 24 1").contains("not a power of two"));
    assert!(error("free 4000000").contains("slot is too high"));
    assert!(error("on 5000").contains("thread is too high"));
}

#[test]
fn rust_code_names_every_operation() {
    let program: Program = "malloc 0 48; check".parse().unwrap();
    let rust = "Program { ops: vec![\n    Op::Malloc { slot: 0, size: 48 },\n    Op::Check,\n] }";
    assert_eq!(program.to_rust(), rust);
}

#[test]
fn bytes_are_operations() {
    let program =
        Program::from_bytes(&[0, 3, 48, 0, 7 | 6 << 4, 1, 0, 1, 13, 3, 0, 0, 9, 9], 16, 200);
    assert_eq!(program.to_string(), "malloc 3 48\naligned 1 64 200\nfree_sized 3\n");
    let every: Vec<u8> = (0..=255).flat_map(|kind| [kind, kind ^ 0x5A, kind, !kind]).collect();
    let program = Program::from_bytes(&every, 8, 1 << 20);
    assert_eq!(program.ops.len(), 256);
    assert!(program.slots() <= 8);
}
