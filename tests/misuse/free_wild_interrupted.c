// misuse: free of a value that is no address, in a signal handler that interrupted malloc: said, and the end, also of who exits for SIGABRT
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

#ifdef __x86_64__
#include "interrupted.h"

static void frees(void) { free(shown((void *)0xdeadbeefdeadbee0)); }

static void allocates(int number) {
    (void)number;
    free(hide(malloc(MIB)));
}

int main(void) {
    signal(SIGABRT, allocates);
    be_interrupted(5, frees);
    return 0;
}
#else
int main(void) { SKIP("the filter's registers are those of x86-64"); }
#endif
