// survival: a sandbox that refuses madvise, mremap and prctl: allocation, realloc and trimming go on without them
// long: only on the flagship
// also: glibc
#include <malloc.h>

#include "filter.h"
#include "threads.h"

static void refuse(void) {
    const int calls[] = {SYS_madvise, SYS_mremap, SYS_prctl};
    if (filter_calls(calls, 3, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW, 0)) SKIP("this machine has no seccomp filters");
}

static void use_memory(void) {
    use_every_size();
    for (size_t size = 1; size <= 80 * MIB; size *= 3) {
        char *block = malloc(size);
        CHECK(block != NULL, "malloc(%zu) is NULL", size);
        fill(block, size < KIB ? size : KIB, 1);
        block = realloc(block, size * 2);
        CHECK(block && first_difference(block, size < KIB ? size : KIB, 1) == (size < KIB ? size : KIB), "realloc(%zu) loses contents", size);
        free(block);
        char *zero = calloc(1, size);
        CHECK(zero && first_dirty(zero, size) == size, "calloc(%zu) is NULL or not zero", size);
        memset(hide(zero), 1, size);
        free(zero);
    }
    malloc_trim(0);
}

int main(int count, char **arguments) {
    alarm(55);
    if (count == 1) {
        use_memory();
        refuse();
        use_memory();
        execl("/proc/self/exe", arguments[0], "again", NULL);
        CHECK(0, "execl fails");
    }
    pthread_t threads[2];
    start_churning(threads, 2);
    use_memory();
    stop_and_join(threads, 2);
    use_memory();
    return 0;
}
