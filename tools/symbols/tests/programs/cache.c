// Says where it was called, and in which line.
#include "maps.h"
__attribute__((noinline)) static void *here(void) { return __builtin_return_address(0); }
__attribute__((noinline)) static void insert(void) {
    printf("%p %d\n", here(), __LINE__);
}
int main(void) { insert(); maps(); return 0; }
