// survival: fork while other threads are in fflush(NULL) and in getline, which allocates with a stream locked
// also: glibc
// again: HEAPWRIGHT=safe=1
// again: HEAPWRIGHT=background=1
#include "forking.h"

static void *flush_all(void *argument) {
    // Neither lock is fair: without pauses the thread that forks might wait for ever.
    while (!atomic_load(&stop_churning)) fflush(NULL), usleep(50);
    return argument;
}

static void *read_lines(void *argument) {
    FILE *file = argument;
    while (!atomic_load(&stop_churning)) {
        char *line = NULL;
        size_t size = 0;
        rewind(file);
        while (getline(&line, &size, file) > 0) {
            free(line);
            line = NULL, size = 0;
            usleep(20);
        }
        free(line);
    }
    fclose(file);
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        if (i < 2) {
            pthread_create(&threads[i], NULL, flush_all, NULL);
            continue;
        }
        FILE *file = tmpfile();
        CHECK(file != NULL, "tmpfile fails with errno %d", errno);
        for (int line = 0; line < 50; line++) fprintf(file, "%0*d\n", line * 977 % 60000 + 100, 1);
        pthread_create(&threads[i], NULL, read_lines, file);
    }
    fork_many(100, "child");
    stop_and_join(threads, 4);
    return 0;
}
