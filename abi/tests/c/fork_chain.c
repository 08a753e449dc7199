// survival: each process forks the next while its own threads allocate, 100 generations deep
// also: glibc
// timeout: 90
#include <sys/wait.h>

#include "threads.h"

enum { THREADS = 2, GENERATIONS = 100 };

int main(void) {
    alarm(80);
    for (int generation = 0; generation < GENERATIONS; generation++) {
        pthread_t threads[THREADS];
        start_churning(threads, THREADS);
        use_every_size();
        pid_t child = fork();
        CHECK(child >= 0, "fork fails with errno %d", errno);
        if (child > 0) {
            stop_and_join(threads, THREADS);
            int status;
            waitpid(child, &status, 0);
            CHECK(WIFEXITED(status), "generation %d ends with status %#x", generation + 1, status);
            _exit(WEXITSTATUS(status)); // what went wrong was said by the generation that saw it
        }
        alarm(80);
        use_every_size();
    }
    return 0;
}
