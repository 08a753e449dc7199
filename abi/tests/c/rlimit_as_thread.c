// survival: under `ulimit -v` of 64 MiB that was exhausted once, a new thread can allocate again (glibc 2.36 refuses it)
#include "limited.h"

int main(int count, char **arguments) {
    alarm(55);
    start_again_under(RLIMIT_AS, 64 * MIB, count, arguments);
    live_under(30 * MIB, 64 * MIB, 1);
    return 0;
}
