//! x86-64: jumps through slots, and the calls around them; registers.

/// The instructions that call a function without arguments and leave all arguments as they are.
macro_rules! call_aside {
    ($function:literal) => {
        concat!(
            "push rdi\npush rsi\npush rdx\npush rcx\npush r8\npush r9\nsub rsp, 8\n",
            "call ",
            $function,
            "\nadd rsp, 8\npop r9\npop r8\npop rcx\npop rdx\npop rsi\npop rdi",
        )
    };
}
pub(crate) use call_aside;

/// Calls a function without arguments, and jumps to the function in a word of a table with the arguments that there are.
macro_rules! jump_after {
    ($before:path, $table:path, $at:expr) => {
        core::arch::naked_asm!(
            $crate::imp::call_aside!("{before}"),
            "jmp qword ptr [rip + {table} + {at}]",
            before = sym $before,
            table = sym $table,
            at = const $at,
        )
    };
}
pub(crate) use jump_after;

/// What the registers hold that a function must leave as they are.
#[inline(never)]
pub(crate) fn saved_registers() -> [usize; 6] {
    let mut all = [0; 6];
    // SAFETY: writes six words of ours.
    unsafe {
        core::arch::asm!(
            "mov [{0}], rbx", "mov [{0} + 8], rbp", "mov [{0} + 16], r12",
            "mov [{0} + 24], r13", "mov [{0} + 32], r14", "mov [{0} + 40], r15",
            in(reg) all.as_mut_ptr(), options(nostack, preserves_flags),
        );
    };
    all
}

/// What the thread finds its thread-local storage by.
pub(crate) fn thread_pointer() -> usize {
    let pointer;
    // SAFETY: reads the thread's own word.
    unsafe {
        core::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly, preserves_flags))
    };
    pointer
}

/// Where the stack ended of a thread that a signal interrupted.
pub(crate) fn stack_of(context: &libc::ucontext_t) -> usize {
    context.uc_mcontext.gregs[libc::REG_RSP as usize].cast_unsigned() as usize
}

/// An `operator new` between two functions: what `before` returns comes to `after` behind the block, the size and the second
/// argument. The operator may throw, so no frame of Rust's is around it.
macro_rules! call_between {
    ($before:path, $table:path, $at:expr, $after:path) => {
        core::arch::naked_asm!(
            ".cfi_startproc",
            "push rbx",
            ".cfi_def_cfa_offset 16",
            ".cfi_offset rbx, -16",
            "push r12",
            ".cfi_def_cfa_offset 24",
            ".cfi_offset r12, -24",
            "push r13",
            ".cfi_def_cfa_offset 32",
            ".cfi_offset r13, -32",
            "mov rbx, rdi",
            "mov r12, rsi",
            "mov r13, rdx",
            "call {before}",
            "mov rdi, rbx",
            "mov rsi, r12",
            "mov rdx, r13",
            "mov r13, rax",
            "call qword ptr [rip + {table} + {at}]",
            "mov rdi, rax",
            "mov rsi, rbx",
            "mov rdx, r12",
            "mov rcx, r13",
            "pop r13",
            ".cfi_def_cfa_offset 24",
            "pop r12",
            ".cfi_def_cfa_offset 16",
            "pop rbx",
            ".cfi_def_cfa_offset 8",
            "jmp {after}",
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
        core::arch::naked_asm!(
            "push qword ptr [rsp]",
            "call {function}",
            "add rsp, 8",
            "ret",
            function = sym $function,
        )
    };
}
pub(crate) use with_caller;

/// Jumps to the function in a word of a table. If the 32-bit word that a pointer points to is set, a function without arguments is
/// called instead, and the same word of another table is taken.
macro_rules! jump_unless {
    ($pointer:path, $before:path, [$table:path, $other:path, $at:expr]) => {
        core::arch::naked_asm!(
            "mov r11, qword ptr [rip + {pointer}]",
            "cmp dword ptr [r11], 0",
            "jne 2f",
            "jmp qword ptr [rip + {table} + {at}]",
            "2:",
            $crate::imp::call_aside!("{before}"),
            "jmp qword ptr [rip + {other} + {at}]",
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
            "jmp qword ptr [rip + {table} + {at}]",
            table = sym $table,
            at = const $at,
        )
    };
}
pub(crate) use jump;

/// Takes the size of a request off what is left until the thread's next point. While something is left it jumps to the function in a word of
/// a table; else, unless the thread is in a call of ours, notes where the calling function is and goes on in another function.
macro_rules! count_down {
    (
        [$until:expr, $busy:expr, $sp:expr, $fp:expr], $prepare:literal, $size:literal,
        [$table:path, $at:expr], $reached:path
    ) => {
        core::arch::naked_asm!(
            $prepare,
            "mov r11, qword ptr [rip + heapwright_recorder@GOTTPOFF]",
            concat!("sub qword ptr fs:[r11 + {until}], ", $size),
            "jle 2f",
            "3:",
            "jmp qword ptr [rip + {table} + {at}]",
            "2:",
            "cmp qword ptr fs:[r11 + {busy}], 0",
            "jne 3b",
            "mov qword ptr fs:[r11 + {sp}], rsp",
            "mov qword ptr fs:[r11 + {fp}], rbp",
            "jmp {reached}",
            until = const $until,
            busy = const $busy,
            sp = const $sp,
            fp = const $fp,
            table = sym $table,
            at = const $at,
            reached = sym $reached,
        )
    };
}
pub(crate) use count_down;

/// Jumps to the function in a word of a table. If the byte of the page that the first argument lies in is set, a function is called
/// with that argument, and the same word of another table is taken.
macro_rules! filtered {
    (
        [$bytes:path, $page:expr], [$table:path, $other:path, $at:expr], $found:path
    ) => {
        core::arch::naked_asm!(
            "mov r10d, edi",
            "shr r10d, {page}",
            "lea r11, [rip + {bytes}]",
            "cmp byte ptr [r11 + r10], 0",
            "jne 2f",
            "jmp qword ptr [rip + {table} + {at}]",
            "2:",
            $crate::imp::call_aside!("{found}"),
            "jmp qword ptr [rip + {other} + {at}]",
            bytes = sym $bytes,
            page = const $page,
            table = sym $table,
            other = sym $other,
            at = const $at,
            found = sym $found,
        )
    };
}
pub(crate) use filtered;

/// Both: goes on in the other function if the byte is set, or nothing is left.
macro_rules! filtered_and_counted {
    (
        [$bytes:path, $page:expr],
        [$until:expr, $busy:expr, $sp:expr, $fp:expr], $prepare:literal, $size:literal,
        [$table:path, $at:expr], $reached:path
    ) => {
        core::arch::naked_asm!(
            $prepare,
            "mov r10d, edi",
            "shr r10d, {page}",
            "lea r11, [rip + {bytes}]",
            "cmp byte ptr [r11 + r10], 0",
            "mov r11, qword ptr [rip + heapwright_recorder@GOTTPOFF]",
            "jne 4f",
            concat!("sub qword ptr fs:[r11 + {until}], ", $size),
            "jle 2f",
            "3:",
            "jmp qword ptr [rip + {table} + {at}]",
            "4:",
            concat!("sub qword ptr fs:[r11 + {until}], ", $size),
            "2:",
            "cmp qword ptr fs:[r11 + {busy}], 0",
            "jne 3b",
            "mov qword ptr fs:[r11 + {sp}], rsp",
            "mov qword ptr fs:[r11 + {fp}], rbp",
            "jmp {reached}",
            bytes = sym $bytes,
            page = const $page,
            until = const $until,
            busy = const $busy,
            sp = const $sp,
            fp = const $fp,
            table = sym $table,
            at = const $at,
            reached = sym $reached,
        )
    };
}
pub(crate) use filtered_and_counted;
