// survival: threads that end by a bare system call, whose stacks are unmapped or used by others afterwards: figures, children of
//   fork and the end of the process do without what they kept
// also: glibc
// again: HEAPWRIGHT=check=1
// again: HEAPWRIGHT=safe=1
// again: HEAPWRIGHT=stats=1
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "forking.h"

enum { STACK = 1 << 18, THREADS = 20 };

static void use_some(void) {
    void *blocks[50];
    for (size_t i = 0; i < 50; i++) blocks[i] = malloc(i * i * 20 + 1);
    for (size_t i = 0; i < 50; i++) free(blocks[i]);
}

static void *vanish(void *argument) {
    use_some();
    syscall(SYS_exit, 0);
    return argument;
}

static void *stay(void *argument) {
    use_some();
    return argument;
}

static void figures(void) {
    struct mallinfo2 info = mallinfo2();
    CHECK(info.uordblks < 100 * MIB, "%zu bytes in use", info.uordblks);
    malloc_stats();
}

static void on_stack(void *(*work)(void *), void *stack) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, STACK);
    CHECK(pthread_create(&thread, &attributes, work, NULL) == 0, "pthread_create fails");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

int main(void) {
    alarm(50);
    for (int i = 0; i < THREADS; i++) {
        void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(stack != MAP_FAILED, "mmap fails");
        on_stack(i % 4 ? vanish : stay, stack);
        // Unmapped, overwritten, another thread's, or as it was left.
        switch (i % 5) {
        case 0: munmap(stack, STACK); break;
        case 1: memset(stack, 0xA5, STACK); break;
        case 2: on_stack(stay, stack); break;
        case 3: on_stack(vanish, stack), on_stack(vanish, stack); break;
        default: break;
        }
        if (i % 3 == 0) figures();
        fork_and_use("child");
        use_every_size();
    }
    figures();
    malloc_trim(0);
    return 0;
}
