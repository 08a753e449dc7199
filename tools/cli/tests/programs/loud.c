// Says more than a pipe holds, to both, at the start and at the end; and lines that look like an answer.
#include <unistd.h>
static void say(void) {
    for (int i = 0; i < 20000; i++) for (int to = 1; to < 3; to++)
        if (write(to, "malloc 24\n", 10) != 10) _exit(9);
}
__attribute__((constructor)) static void first(void) { say(); }
__attribute__((destructor)) static void last(void) { say(); }
