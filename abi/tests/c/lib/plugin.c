// A plugin that allocates when it is opened, used and closed.
#include "../threads.h"

static char *held;
static __thread char *per_thread;

__attribute__((constructor)) static void opened(void) {
    use_every_size();
    fill(held = malloc(7000), 7000, 2);
}

__attribute__((destructor)) static void closed(void) {
    CHECK(first_difference(held, 7000, 2) == 7000, "the plugin's own block was overwritten");
    free(held);
    use_every_size();
}

char *plugin_make(size_t size) {
    free(per_thread);
    per_thread = malloc(64);
    memset(per_thread, 1, 64);
    char *block = malloc(size);
    fill(block, size, 8);
    return block;
}

void plugin_drop(char *block) {
    free(per_thread);
    per_thread = NULL;
    free(block);
}
