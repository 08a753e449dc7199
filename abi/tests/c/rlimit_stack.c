// survival: `ulimit -s unlimited`, under which the kernel lays out the address space the other way round
// also: glibc
#include <sys/resource.h>

#include "threads.h"

int main(int count, char **arguments) {
    alarm(55);
    if (count == 1) {
        struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
        if (setrlimit(RLIMIT_STACK, &limit) != 0) SKIP("the stack limit cannot be raised here");
        execl("/proc/self/exe", arguments[0], "again", NULL);
        CHECK(0, "execl fails");
    }
    use_every_size();
    void *large = malloc(500 * MIB);
    CHECK(large != NULL, "malloc(500 MiB) is NULL");
    pthread_t threads[2];
    start_churning(threads, 2);
    usleep(50000);
    stop_and_join(threads, 2);
    free(large);
    return 0;
}
