// The machine under a program: QEMU's riscv virt. The memory is as bare-metal/machine/link/riscv.ld says.
#include "../check.h"

int main(void);
extern unsigned char __bss_start, __bss_end;

void test_say(const char *line) {
    volatile unsigned char *serial = (volatile unsigned char *)0x10000000;
    for (; *line; line++) *serial = (unsigned char)*line;
    *serial = '\n';
}

// A word to the finisher ends QEMU.
void test_end(int status) {
    volatile uint32_t *finisher = (volatile uint32_t *)0x100000;
    for (;;) *finisher = status == 0 ? 0x5555u : (uint32_t)status << 16 | 0x3333u;
}

__attribute__((used)) static void fault(void) {
    test_say("a fault");
    test_end(99);
}

__attribute__((used)) static void start(void) {
    for (volatile unsigned char *byte = &__bss_start; byte < &__bss_end; byte++) *byte = 0;
    test_end(main());
}

__asm__(".section .text.entry, \"ax\"\n"
        ".globl _start\n"
        "_start:\n"
        ".option push\n"
        ".option norelax\n"
        "    la gp, __global_pointer\n"
        ".option pop\n"
        "    la sp, __stack_top\n"
        "    la t0, 1f\n"
        "    csrw mtvec, t0\n"
        // mstatus.FS: code for the hard-float target may use those registers
        "    li t0, 0x2000\n"
        "    csrs mstatus, t0\n"
        "    call start\n"
        ".balign 4\n"
        "1:  la sp, __stack_top\n"
        "    call fault\n"
        ".text\n");
