// survival: `ulimit -v` of 64 MiB: 30 MiB of small objects fit, then NULL with ENOMEM, and all works again after free
// also: glibc
#include "limited.h"

int main(int count, char **arguments) {
    alarm(55);
    start_again_under(RLIMIT_AS, 64 * MIB, count, arguments);
    live_under(30 * MIB, 64 * MIB, 0);
    return 0;
}
