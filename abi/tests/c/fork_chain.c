// survival: each process forks the next while its own threads allocate, 100 generations deep, or as many as a third of the memory that
//   is free has room for
// long: only on the flagship
// also: glibc
// timeout: 90
#include "machine.h"
#include "threads.h"

enum { THREADS = 2, GENERATIONS = 100, LEAST = 5 };
// What a generation has at most that no other has.
#define EACH (110 * MIB)

int main(void) {
    alarm(80);
    size_t room = available() / 3 / EACH;
    int generations = room < GENERATIONS ? (int)room : GENERATIONS;
    if (generations < LEAST) SKIP("%zu MiB are free, for %d generations", available() / MIB, generations);
    if (generations < GENERATIONS) printf("%d generations, as %zu MiB are free\n", generations, available() / MIB), fflush(stdout);
    for (int generation = 0; generation < generations; generation++) {
        pthread_t threads[THREADS];
        start_churning(threads, THREADS);
        use_every_size();
        pid_t child = fork();
        if (child > 0) {
            stop_and_join(threads, THREADS);
            int status = end_of(child);
            CHECK(WIFEXITED(status), "generation %d ends with status %#x", generation + 1, status);
            _exit(WEXITSTATUS(status)); // what went wrong was said by the generation that saw it
        }
        alarm(80);
        use_every_size();
    }
    return 0;
}
