// survival: a running program opens the library with RTLD_DEEPBIND, with RTLD_LAZY and RTLD_GLOBAL; each gives a working malloc
// run: alone
#include <dlfcn.h>

#include "check.h"

int main(void) {
    const int modes[] = {RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND, RTLD_LAZY | RTLD_LOCAL, RTLD_NOW | RTLD_GLOBAL};
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child) {
            int status = end_of(child);
            CHECK(status == 0, "mode %#x ends with status %#x", modes[i], status);
            continue;
        }
        void *before = malloc(100);
        void *handle = dlopen(getenv("HEAPWRIGHT_SO"), modes[i]);
        CHECK(handle != NULL, "dlopen with mode %#x: %s", modes[i], dlerror());
        void *(*theirs)(size_t) = dlsym(handle, "malloc");
        void (*their_free)(void *) = dlsym(handle, "free");
        CHECK(theirs && their_free, "dlsym: %s", dlerror());
        for (size_t size = 1; size <= 64 * MIB; size = size * 3 + 1) {
            char *block = theirs(size);
            CHECK(block != NULL, "malloc(%zu) of the opened library is NULL", size);
            block[0] = block[size - 1] = 1;
            their_free(block);
            free(malloc(size));
        }
        free(before);
        exit(0);
    }
    return 0;
}
