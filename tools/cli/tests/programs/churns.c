// Says its number, and allocates for ever.
#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    setbuf(stdout, NULL);
    printf("%d\n", getpid());
    for (;;) {
        for (int i = 0; i < 100; i++) {
            void *volatile p = malloc(4321);
            free(p);
        }
        usleep(100);
    }
}
