// misuse: free of a foreign pointer as the first call of all, before the heap exists
// expect: ^heapwright: free\b.*0x[0-9a-f]+
#include "misuse.h"

static char bytes[64] __attribute__((aligned(16)));

static void preinit(int count, char **arguments, char **environment) {
    (void)count, (void)arguments, (void)environment;
    free(hide(bytes));
}

__attribute__((section(".preinit_array"), used)) static void (*const entry)(int, char **, char **) = preinit;

int main(void) { return 0; }
