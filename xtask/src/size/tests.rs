use super::golden::Golden;
use super::*;

fn row(allocator: &'static str, plain: u64, realloc: u64, control_block: u64) -> Row {
    let size = |code| Size { code, control_block };
    Row { allocator, plain: size(plain), realloc: size(realloc) }
}

#[test]
fn what_has_grown_is_named_with_both_numbers() {
    let mut golden = Golden::default();
    golden.set("thumbv6m", "rustc 1", &[row("tlsf", 900, 1400, 300)]);
    let complaints = golden.complaints("thumbv6m", "rustc 1", &[row("tlsf", 910, 1400, 300)]);
    assert_eq!(complaints, ["thumbv6m: tlsf: 910 bytes for init, alloc and free, golden file 900"]);
    let other = golden.complaints("thumbv6m", "rustc 2", &[row("tlsf", 910, 1400, 300)]);
    assert!(other.is_empty(), "another compiler's code has another size: {other:?}");
    let less = golden.complaints("thumbv6m", "rustc 1", &[row("tlsf", 890, 1400, 300)]);
    assert!(less.is_empty(), "{less:?}");
}

#[test]
fn a_limit_holds_for_every_compiler() {
    let mut golden = Golden::default();
    let rows = [row("malloc-compact", 601, 1025, 401)];
    golden.set("thumbv7em", "rustc 1", &rows);
    let complaints = golden.complaints("thumbv7em", "rustc 2", &rows);
    assert_eq!(
        complaints,
        [
            "thumbv7em: malloc-compact: 601 bytes for init, alloc and free, the limit is 600",
            "thumbv7em: malloc-compact: 1025 bytes with realloc, the limit is 1024",
            "thumbv7em: malloc-compact: 401 bytes of control block, the limit is 400",
        ]
    );
}

#[test]
fn what_nobody_recorded_and_what_is_not_ours() {
    let golden = Golden::default();
    let complaints = golden.complaints("thumbv6m", "rustc 1", &[row("best-fit", 1, 2, 3)]);
    assert_eq!(complaints, ["thumbv6m: best-fit is not in the golden file (use --write)"]);
    assert!(golden.complaints("thumbv6m", "rustc 1", &[row("rlsf", 1, 2, 3)]).is_empty());
}
