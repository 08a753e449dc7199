// A program under a limit: it sets the limit, starts itself again, fills memory with small objects until there is no more,
// frees everything, and does it again.
#ifndef LIMITED_H
#define LIMITED_H

#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

#include "check.h"

struct object {
    struct object *next;
    size_t number;
    char rest[];
};

// Starts the program again under the limit, with one argument, unless this is that second start.
static inline void start_again_under(int resource, size_t bytes, int count, char **arguments) {
    if (count > 1) return;
    struct rlimit limit = {bytes, bytes};
    CHECK(setrlimit(resource, &limit) == 0, "setrlimit fails with errno %d", errno);
    execl("/proc/self/exe", arguments[0], "again", NULL);
    CHECK(0, "execl fails with errno %d", errno);
}

// Pushes objects of `size` bytes on a list until `bytes` are allocated or malloc refuses; returns the bytes.
static inline size_t allocate_list(struct object **list, size_t size, size_t bytes) {
    size_t total = 0;
    for (size_t number = 0; total < bytes; number++, total += size) {
        errno = 0;
        struct object *object = malloc(size);
        if (!object) {
            CHECK(errno == ENOMEM, "malloc(%zu) is NULL with errno %d", size, errno);
            break;
        }
        object->next = *list, object->number = number;
        memset(object->rest, (char)number, size - offsetof(struct object, rest));
        *list = object;
    }
    return total;
}

static inline void verify_and_free(struct object *list, size_t size) {
    while (list) {
        struct object *next = list->next;
        const char *last = (const char *)list + size - 1;
        CHECK(*last == (char)list->number && list->rest[0] == (char)list->number, "object %zu was overwritten", list->number);
        free(list);
        list = next;
    }
}

static void *thread_allocates(void *argument) {
    void *blocks[100];
    for (int i = 0; i < 100; i++) CHECK((blocks[i] = malloc(100 + (size_t)i)) != NULL, "malloc in a thread is NULL");
    for (int i = 0; i < 100; i++) free(blocks[i]);
    return argument;
}

// `bytes` must be allocatable as small objects each time, by a new thread too if `threads`, and exhaustion come before `limit`.
static inline void live_under(size_t bytes, size_t limit, int threads) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * KIB);
    for (int round = 0; round < 3; round++) {
        struct object *list = NULL, *rest = NULL;
        if (threads) {
            int error = pthread_create(&thread, &attributes, thread_allocates, NULL);
            CHECK(error == 0, "a thread cannot start under the limit in round %d: error %d", round, error);
            pthread_join(thread, NULL);
        }
        size_t size = round == 1 ? 1000 : 104;
        size_t total = allocate_list(&list, size, bytes);
        CHECK(total >= bytes, "only %zu MiB of %zu MiB can be allocated in objects of %zu, round %d", total / MIB, bytes / MIB, size, round);
        total += allocate_list(&rest, 120, limit);
        CHECK(total < limit, "%zu MiB were allocated under a limit of %zu MiB", total / MIB, limit / MIB);
        // Exhausted: every call refuses in its own way.
        CHECK(malloc(limit) == NULL && errno == ENOMEM, "malloc of the whole limit does not fail with ENOMEM");
        CHECK(calloc(1, limit) == NULL && errno == ENOMEM, "calloc of the whole limit does not fail with ENOMEM");
        void *block = &total;
        CHECK(posix_memalign(&block, 4096, limit) == ENOMEM && block == &total, "posix_memalign of the whole limit does not fail");
        verify_and_free(rest, 120);
        verify_and_free(list, size);
        char *large = malloc(bytes / 2);
        CHECK(large != NULL, "after all is freed, one block of %zu MiB is refused, round %d", bytes / 2 / MIB, round);
        large[0] = large[bytes / 2 - 1] = 1;
        free(large);
    }
}

#endif
