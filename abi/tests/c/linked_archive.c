// survival: a program linked to libheapwright.a and to shared libraries, which then allocate from it too
// link: archive
#include <dlfcn.h>
#include <heapwright.h>
#include <malloc.h>

#include "threads.h"

int main(void) {
    alarm(55);
    struct heapwright_stats before, after;
    CHECK(heapwright_stats(&before) == 0, "heapwright_stats fails");
    // The C library allocates the text: it must find the program's malloc.
    char *text = NULL;
    CHECK(asprintf(&text, "%0*d", 300000, 1) == 300000, "asprintf fails");
    CHECK(heapwright_stats(&after) == 0 && after.live_bytes >= before.live_bytes + 300000, "asprintf's block is not heapwright's");
    free(text);
    use_every_size();
    pthread_t threads[2];
    start_churning(threads, 2);
    usleep(50000);
    stop_and_join(threads, 2);
    CHECK(heapwright_check() == 0, "heapwright_check() finds the heap broken");
    return 0;
}
