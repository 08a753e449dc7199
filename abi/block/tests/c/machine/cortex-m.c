// The machine under a program: Arm's MPS2 board as QEMU has it. The memory is as bare-metal/machine/link/cortex-m.ld says.
#include "../check.h"

int main(void);
void reset(void);
extern unsigned char __bss_start, __bss_end;

// Serial line 0: data, state, control, and 16 bytes on the divider.
static volatile uint32_t *const serial = (volatile uint32_t *)0x40004000;

void test_say(const char *line) {
    for (; *line; line++) serial[0] = (unsigned char)*line;
    serial[0] = '\n';
}

// Semihosting's SYS_EXIT_EXTENDED with "application exit".
void test_end(int status) {
    uint32_t block[2] = {0x20026, (uint32_t)status};
    register uint32_t operation __asm__("r0") = 0x20;
    register uint32_t *argument __asm__("r1") = block;
    for (;;) __asm__ volatile("bkpt 0xab" : : "r"(operation), "r"(argument) : "memory");
}

static void fault(void) {
    test_say("a fault");
    test_end(99);
}

// Behind the stack's top, which the linker script puts first: reset, then every fault.
__attribute__((section(".vectors"), used)) static void (*const vectors[])(void) = {
    reset, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault};

void reset(void) {
    for (volatile unsigned char *byte = &__bss_start; byte < &__bss_end; byte++) *byte = 0;
    serial[4] = 16;
    serial[2] = 1;
    test_end(main());
}
