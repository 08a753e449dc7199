// survival: vm.max_map_count is reached: calls succeed or return NULL with ENOMEM, nothing is lost, and later all is well again
#include <pthread.h>
#include <sys/mman.h>

#include "maps.h"

static size_t page;
static char *cut;
static size_t pages;

// Uses up mappings: every other page of one gets a protection of its own, until the kernel refuses.
static void use_up_mappings(void) {
    FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
    long most = 0;
    if (!file || fscanf(file, "%ld", &most) != 1 || most > 300000) SKIP("the limit on mappings is unknown, or too high to be reached");
    fclose(file);
    pages = (size_t)most * 2 + 100;
    cut = mmap(NULL, pages * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(cut != MAP_FAILED, "mmap fails");
    for (size_t i = 1; i < pages; i += 2)
        if (mprotect(cut + i * page, page, PROT_READ) != 0) return;
    CHECK(0, "the limit on mappings is not reached");
}

static void *work(void *argument) {
    uint64_t seed = (uintptr_t)argument;
    enum { SLOTS = 60 };
    char *blocks[SLOTS] = {0};
    size_t sizes[SLOTS] = {0}, refused = 0;
    for (int round = 0; round < 4000; round++) {
        size_t at = random_next(&seed) % SLOTS, size = (size_t)1 << random_next(&seed) % 24;
        size += random_next(&seed) % size;
        errno = 0;
        if (blocks[at] && random_next(&seed) % 3 == 0) {
            free(blocks[at]);
            blocks[at] = NULL;
            continue;
        }
        char *block = blocks[at] ? realloc(blocks[at], size) : malloc(size);
        if (!block) {
            CHECK(errno == ENOMEM, "%zu bytes are refused with errno %d", size, errno);
            refused++;
        } else {
            size_t kept = blocks[at] ? (sizes[at] < size ? sizes[at] : size) : 0;
            kept = kept < 100 ? kept : 100;
            CHECK(first_difference(block, kept, (unsigned)at) == kept, "realloc to %zu loses contents", size);
            blocks[at] = block, sizes[at] = size;
        }
        if (blocks[at]) {
            fill(blocks[at], sizes[at] < 100 ? sizes[at] : 100, (unsigned)at);
            if (sizes[at] > 100) blocks[at][sizes[at] - 1] = 1;
        }
    }
    for (int i = 0; i < SLOTS; i++) free(blocks[i]);
    return (void *)refused;
}

static void work_in_a_child(void) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        work((void *)7);
        _exit(0);
    }
    if (child < 0) return;
    ended_well(child, "child");
}

int main(void) {
    alarm(55);
    page = (size_t)sysconf(_SC_PAGESIZE);
    work((void *)1);
    use_up_mappings();
    work((void *)2);
    pthread_t threads[2];
    int started = 0;
    while (started < 2 && pthread_create(&threads[started], NULL, work, (void *)(uintptr_t)(3 + started)) == 0) started++;
    work((void *)5);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    work_in_a_child();
    munmap(cut, pages * page);
    CHECK(work((void *)6) == NULL, "allocations are refused though mappings can be had again");
    work_in_a_child();
    return 0;
}
