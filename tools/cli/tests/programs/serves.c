// Allocates until its standard input ends.
#include <poll.h>
#include <stdlib.h>
static void *all[1 << 16];
__attribute__((noinline)) void *serve(void) { return malloc(1000); }
int main(void) {
    struct pollfd in = {0, POLLIN, 0};
    for (int i = 0; poll(&in, 1, 1) == 0; i++) { free(all[i & 0xFFFF]); all[i & 0xFFFF] = serve(); }
    return 5;
}
