// Allocates, and is killed hard in the middle.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **arguments) {
    for (int i = 0; i < 30000; i++) free(malloc(100 + i % 7));
    void *volatile last = malloc(12345);
    (void)last;
    if (count > 1 && arguments[1][0] == '_') _exit(0);
    kill(getpid(), SIGKILL);
    return 0;
}
