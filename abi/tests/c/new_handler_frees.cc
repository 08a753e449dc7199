// C++17 [new.handler]: a handler that makes memory available lets the failing new succeed
// also: glibc
#include <sys/resource.h>

#include <new>

#include "check.h"

static void *reserve;
static int calls;

static void give_up_reserve() {
    calls++;
    if (!reserve) throw std::bad_alloc();
    free(reserve);
    reserve = nullptr;
}

int main(int, char **argv) {
    if (!argv[1]) {
        rlimit limit = {400 * MIB, 400 * MIB};
        CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit fails");
        char again[] = "again";
        char *arguments[] = {argv[0], again, nullptr};
        execv("/proc/self/exe", arguments);
        CHECK(false, "execv fails with errno %d", errno);
    }
    reserve = malloc(100 * MIB);
    CHECK(reserve != nullptr, "malloc(100 MiB) fails under a limit of 400 MiB");
    std::set_new_handler(give_up_reserve);
    // Blocks of 10 MiB until the handler was needed once: that one still succeeds.
    int blocks = 0;
    while (calls == 0) {
        char *block = new char[10 * MIB];
        block[0] = 1;
        CHECK(++blocks < 60, "60 blocks of 10 MiB fit under a limit of 400 MiB");
    }
    CHECK(calls == 1 && blocks > 5, "the handler was called %d times after %d blocks", calls, blocks);
    return 0;
}
