/* Closes every descriptor but its own three, as a service does, and waits until its input ends. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    char byte;
    free(malloc(100));
    if (syscall(SYS_close_range, 3, ~0u, 0))
        for (int file = 3; file < 65536; file++) close(file);
    if (write(1, "\n", 1) != 1 || read(0, &byte, 1)) return 1;
    for (int i = 0; i < 100000; i++) free(malloc(100));
    return 0;
}
