// Overwrites its environment as a server does that sets its title, and forks.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(void) {
    free(malloc(1234));
    char *first = environ[0];
    size_t length = 0;
    for (int i = 0; environ[i]; i++) length = environ[i] + strlen(environ[i]) - first;
    memset(first, 'x', length);
    environ[0] = 0;
    if (fork() == 0) {
        free(malloc(4321));
        _exit(0);
    }
    wait(0);
    return 0;
}
