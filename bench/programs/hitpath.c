/* What `step` watches: the allocator's hit paths, each call between two breakpoints.
 * `hitpath malloc|free|free_sized|pair`
 *
 * After a warm-up that leaves free objects of 16 bytes at hand, 64 calls of one entry point are made
 * through a pointer, each between two `int3`; `pair` makes 100 rounds of a loop of malloc and free through
 * the PLT between two `int3`. Exits with 5 when the library has no sized free. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define MARK() __asm__ volatile("int3" : : : "memory")
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")
enum { CALLS = 64, ROUNDS = 100, SIZE = 16 };

static void *objects[1000];

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "pair";
    void *(*take)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "malloc");
    void (*give)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "free");
    void (*give_sized)(void *, size_t) = (void (*)(void *, size_t))dlsym(RTLD_DEFAULT, "free_sized");
    if (!give_sized) give_sized = (void (*)(void *, size_t))dlsym(RTLD_DEFAULT, "_ZdlPvm");

    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 1000; i++)
            if (!(objects[i] = malloc(SIZE))) return 4;
        for (int i = 0; i < 1000; i++) free(objects[i]);
    }
    for (int i = 0; i < 100; i++) {
        void *p = malloc(SIZE);
        KEEP(p);
        free(p);
    }
    if (!strcmp(what, "pair")) {
        MARK();
        for (int i = 0; i < ROUNDS; i++) {
            void *p = malloc(SIZE);
            KEEP(p);
            free(p);
        }
        MARK();
        return 0;
    }
    if (!strcmp(what, "free_sized") && !give_sized) return 5;
    int watch_malloc = !strcmp(what, "malloc"), watch_free = !strcmp(what, "free");
    for (int i = 0; i < CALLS; i++) {
        void *p;
        if (watch_malloc) {
            MARK();
            p = take(SIZE);
            MARK();
            free(p);
        } else if (watch_free) {
            p = malloc(SIZE);
            MARK();
            give(p);
            MARK();
        } else {
            p = malloc(SIZE);
            MARK();
            give_sized(p, SIZE);
            MARK();
        }
    }
    return 0;
}
