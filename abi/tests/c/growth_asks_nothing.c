// heapwright: a heap that grows asks the system for memory in what it has reserved, and for no address beside it
#include "refused.h"

int main(void) {
    // Whatever is made once is there.
    static void *blocks[3000];
    for (int i = 0; i < 100; i++) CHECK((blocks[i] = malloc(60000)) != NULL, "malloc is NULL");
    static const int numbers[] = {SYS_mmap};
    watch_calls(numbers, 1, ENOMEM);
    for (int i = 100; i < 3000; i++) CHECK((blocks[i] = malloc(60000)) != NULL, "malloc is NULL, block %d", i);
    long asked = atomic_load(&calls_failed);
    CHECK(asked == 0, "mmap is called %ld times while the heap grows by 174 MB", asked);
    return 0;
}
