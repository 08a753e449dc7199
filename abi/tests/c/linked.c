// survival: a program linked to libheapwright.so with -lheapwright, without a preload, allocates from it
// link: heapwright
// run: alone
#include <dlfcn.h>
#include <heapwright.h>

#include "threads.h"

int main(void) {
    Dl_info info;
    CHECK(dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info) && strstr(info.dli_fname, "heapwright"), "malloc is in %s", info.dli_fname);
    use_every_size();
    pthread_t threads[2];
    start_churning(threads, 2);
    usleep(20000);
    stop_and_join(threads, 2);
    char *text = NULL;
    CHECK(asprintf(&text, "%s", heapwright_version()) > 0, "asprintf fails");
    free(text);
    CHECK(heapwright_check() == 0, "heapwright_check() finds the heap broken");
    return 0;
}
