// C23 7.24.3.6 malloc: when the kernel gives no more memory, calls return NULL with ENOMEM, and what was allocated stays intact
#include "refused.h"

struct object {
    struct object *next;
    size_t size;
    unsigned char rest[];
};

static struct object *fill_up(size_t size, int *refused) {
    struct object *list = NULL;
    for (int in_vain = 0; in_vain < 100;) {
        errno = 0;
        struct object *object = malloc(size);
        if (object) {
            object->next = list, object->size = size;
            object->rest[0] = (unsigned char)size;
            list = object;
            continue;
        }
        CHECK(errno == ENOMEM, "malloc(%zu) is NULL with errno %d", size, errno);
        in_vain++, ++*refused;
    }
    return list;
}

static void without_memory(int error) {
    static const int numbers[] = {SYS_mmap, SYS_mprotect, SYS_mremap};
    struct object *lists[5] = {0};
    static const size_t sizes[5] = {64 * MIB, 3 * MIB, 100000, 3000, 40};
    int refused = 0;
    watch_calls(numbers, 3, error);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5; i++) lists[i] = fill_up(sizes[i], &refused);
        errno = 0;
        CHECK(calloc(1, 64 * MIB) == NULL && errno == ENOMEM, "calloc does not fail with ENOMEM");
        void *block = &block;
        CHECK(posix_memalign(&block, 64 * KIB, 64 * MIB) == ENOMEM && block == &block, "posix_memalign does not fail with ENOMEM");
        for (int i = 0; i < 5; i++) {
            struct object *larger = lists[i] ? realloc(lists[i], 64 * MIB) : NULL;
            if (larger) lists[i] = larger;
            while (lists[i]) {
                struct object *next = lists[i]->next;
                CHECK(lists[i]->rest[0] == (unsigned char)sizes[i], "a block of %zu was overwritten", sizes[i]);
                free(lists[i]);
                lists[i] = next;
            }
        }
    }
    long calls = atomic_load(&calls_failed);
    CHECK(calls <= 10L * (refused + 20), "%ld calls for %d allocations that are refused", calls, refused);
}

int main(void) {
    static const int errors[] = {ENOMEM, EPERM, ENOSYS, EINVAL};
    for (int i = 0; i < 4; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            free(hide(malloc(1)));
            without_memory(errors[i]);
            _exit(0);
        }
        int status = confined_end(child);
        CHECK(status == 0, "errno %d: status %#x", errors[i], status);
    }
    return 0;
}
