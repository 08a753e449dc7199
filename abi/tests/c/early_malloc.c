// survival: malloc before any constructor ran: from DT_PREINIT_ARRAY of the program and DT_INIT of a library
// also: glibc
// library: early_init.c -Wl,-init,early_init
#include "threads.h"

extern char *early_block;
extern int early_calls;

static char *preinit_block, *constructor_block;

static void preinit(int count, char **arguments, char **environment) {
    (void)count, (void)arguments, (void)environment;
    use_every_size();
    preinit_block = malloc(3000);
    fill(preinit_block, 3000, 1);
    free(aligned_alloc(4096, 10000));
    free(realloc(calloc(10, 10), 100000));
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit_entry)(int, char **, char **) = preinit;

__attribute__((constructor(101))) static void constructor(void) {
    use_every_size();
    constructor_block = malloc(40000);
    fill(constructor_block, 40000, 2);
}

int main(void) {
    CHECK(preinit_block && first_difference(preinit_block, 3000, 1) == 3000, "the block of the preinit array was overwritten");
    CHECK(constructor_block && first_difference(constructor_block, 40000, 2) == 40000, "the block of the constructor was overwritten");
    CHECK(early_calls == 1, "the library's DT_INIT ran %d times", early_calls);
    CHECK(first_difference(early_block, 5000, 3) == 5000, "the block of DT_INIT was overwritten");
    use_every_size();
    free(preinit_block), free(constructor_block), free(early_block);
    return 0;
}
