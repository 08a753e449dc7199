// survival: `ulimit -v` of 300 MiB: 200 MiB of small objects fit, then NULL with ENOMEM, and all works again after free
// long: only on the flagship
// also: glibc
#include "limited.h"

int main(int count, char **arguments) {
    alarm(55);
    start_again_under(RLIMIT_AS, 300 * MIB, count, arguments);
    live_under(200 * MIB, 300 * MIB, 1);
    return 0;
}
