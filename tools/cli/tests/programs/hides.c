// Hides itself from other users.
#include <sys/prctl.h>
#include <unistd.h>
int main(void) {
    prctl(PR_SET_DUMPABLE, 0);
    for (;;) pause();
}
