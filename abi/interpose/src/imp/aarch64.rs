//! aarch64: jumps through slots, and the calls around them.

/// The instructions that call a function without arguments and leave all arguments as they are.
macro_rules! call_aside {
    ($function:literal) => {
        concat!(
            "stp x29, x30, [sp, -64]!\nstp x0, x1, [sp, 16]\nstp x2, x3, [sp, 32]\nstp x4, x5, [sp, 48]\n",
            "bl ",
            $function,
            "\nldp x4, x5, [sp, 48]\nldp x2, x3, [sp, 32]\nldp x0, x1, [sp, 16]\nldp x29, x30, [sp], 64",
        )
    };
}
pub(crate) use call_aside;

/// Calls a function without arguments, and jumps to the function in a word of a table with the arguments that there are.
macro_rules! jump_after {
    ($before:path, $table:path, $at:expr) => {
        core::arch::naked_asm!(
            $crate::imp::call_aside!("{before}"),
            "adrp x16, {table}",
            "add x16, x16, :lo12:{table}",
            "ldr x16, [x16, {at}]",
            "br x16",
            before = sym $before,
            table = sym $table,
            at = const $at,
        )
    };
}
pub(crate) use jump_after;

/// What the registers hold that a function must leave as they are.
#[inline(never)]
pub(crate) fn saved_registers() -> [usize; 12] {
    let mut all = [0; 12];
    // SAFETY: writes twelve words of ours.
    unsafe {
        core::arch::asm!(
            "stp x19, x20, [{0}]", "stp x21, x22, [{0}, 16]", "stp x23, x24, [{0}, 32]",
            "stp x25, x26, [{0}, 48]", "stp x27, x28, [{0}, 64]", "stp x29, x30, [{0}, 80]",
            in(reg) all.as_mut_ptr(), options(nostack, preserves_flags),
        );
    };
    all
}

/// What the thread finds its thread-local storage by.
pub(crate) fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: reads a register.
    unsafe {
        core::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nomem, nostack, preserves_flags))
    };
    pointer
}

/// Where the stack ended of a thread that a signal interrupted.
pub(crate) fn stack_of(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.sp as usize
}

/// An `operator new` between two functions: what `before` returns comes to `after` behind the block, the size and the second
/// argument. The operator may throw, so no frame of Rust's is around it.
macro_rules! call_between {
    ($before:path, $table:path, $at:expr, $after:path) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "stp x29, x30, [sp, -48]!",
            ".cfi_def_cfa_offset 48",
            ".cfi_offset x29, -48",
            ".cfi_offset x30, -40",
            "stp x19, x20, [sp, 16]",
            ".cfi_offset x19, -32",
            ".cfi_offset x20, -24",
            "str x21, [sp, 32]",
            ".cfi_offset x21, -16",
            "mov x19, x0",
            "mov x20, x1",
            "mov x21, x2",
            "bl {before}",
            "mov x2, x21",
            "mov x21, x0",
            "mov x0, x19",
            "mov x1, x20",
            "adrp x16, {table}",
            "add x16, x16, :lo12:{table}",
            "ldr x16, [x16, {at}]",
            "blr x16",
            "mov x1, x19",
            "mov x2, x20",
            "mov x3, x21",
            "ldr x21, [sp, 32]",
            "ldp x19, x20, [sp, 16]",
            "ldp x29, x30, [sp], 48",
            ".cfi_def_cfa_offset 0",
            ".cfi_restore x19",
            ".cfi_restore x20",
            ".cfi_restore x21",
            ".cfi_restore x29",
            ".cfi_restore x30",
            "b {after}",
            ".cfi_endproc",
            before = sym $before,
            table = sym $table,
            at = const $at,
            after = sym $after,
        )
    };
}
pub(crate) use call_between;

/// Calls a function of six arguments with the return address as a seventh.
macro_rules! with_caller {
    ($function:path) => {
        core::arch::naked_asm!("mov x6, x30", "b {function}", function = sym $function)
    };
}
pub(crate) use with_caller;

/// Jumps to the function in a word of a table. If the 32-bit word that a pointer points to is set, a function without arguments is
/// called instead, and the same word of another table is taken.
macro_rules! jump_unless {
    ($pointer:path, $before:path, [$table:path, $other:path, $at:expr]) => {
        core::arch::naked_asm!(
            "adrp x16, {pointer}",
            "ldr x16, [x16, :lo12:{pointer}]",
            "ldr w17, [x16]",
            "cbnz w17, 2f",
            "adrp x16, {table}",
            "add x16, x16, :lo12:{table}",
            "3:",
            "ldr x16, [x16, {at}]",
            "br x16",
            "2:",
            $crate::imp::call_aside!("{before}"),
            "adrp x16, {other}",
            "add x16, x16, :lo12:{other}",
            "b 3b",
            pointer = sym $pointer,
            before = sym $before,
            table = sym $table,
            other = sym $other,
            at = const $at,
        )
    };
}
pub(crate) use jump_unless;

/// Jumps to the function in a word of a table.
macro_rules! jump {
    ($table:path, $at:expr) => {
        core::arch::naked_asm!(
            "adrp x16, {table}",
            "add x16, x16, :lo12:{table}",
            "ldr x16, [x16, {at}]",
            "br x16",
            table = sym $table,
            at = const $at,
        )
    };
}
pub(crate) use jump;
