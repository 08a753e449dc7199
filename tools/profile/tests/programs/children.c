/* 200 children of one parent, each of which allocates 128,000 bytes. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) static void site(void) {
    void *block = malloc(1000);
    __asm__ volatile("" : "+r"(block));
}

int main(void) {
    site();
    for (int i = 0; i < 200; i++) {
        if (fork() == 0) {
            for (int block = 0; block < 128; block++) site();
            exit(0);
        }
        int status;
        wait(&status);
    }
}
