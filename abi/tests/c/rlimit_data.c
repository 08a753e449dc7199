// survival: `ulimit -d` of 120 MiB, which refuses writable memory as strict overcommit does: 60 MiB fit, then NULL with ENOMEM
// long: only on the flagship
// also: glibc
#include "limited.h"

int main(int count, char **arguments) {
    alarm(55);
    start_again_under(RLIMIT_DATA, 120 * MIB, count, arguments);
    live_under(60 * MIB, 120 * MIB, 1);
    return 0;
}
