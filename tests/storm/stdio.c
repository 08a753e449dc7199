// Threads read lines of all lengths, flush every stream and open temporary files, while children are started in every way there
// is: fork, vfork, posix_spawn and system.
#include "storm.h"
#include <spawn.h>

enum { READERS = 3, LINES = 150 };

extern char **environ;
static char *self_arguments[] = {"stdio", "end", NULL};

static void *reads(void *argument) {
    uint64_t state = storm.seed + (uintptr_t)argument;
    FILE *file = tmpfile();
    CHECK(file != NULL, "tmpfile fails with errno %d", errno);
    for (int i = 0; i < LINES; i++) {
        size_t length = 100 + draw(&state, draw(&state, 10) ? 2000 : 60000);
        char *text = malloc(length + 1);
        CHECK(text != NULL, "malloc(%zu) is NULL", length + 1);
        memset(text, 'a' + (int)(length % 26), length);
        text[length] = '\n';
        CHECK(fwrite(text, 1, length + 1, file) == length + 1, "fwrite fails");
        free(text);
    }
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        char *line = NULL;
        size_t room = 0;
        rewind(file);
        for (ssize_t n; (n = getline(&line, &room, file)) > 0;) {
            CHECK(n > 100 && line[n - 1] == '\n' && line[0] == line[n - 2] && line[0] == 'a' + (int)((n - 1) % 26), "getline gives another line");
            atomic_fetch_add_explicit(&counts->other, 1, memory_order_relaxed);
            if (draw(&state, 2)) continue;
            free(line);
            line = NULL, room = 0;
        }
        free(line);
    }
    fclose(file);
    return NULL;
}

static void *flushes(void *argument) {
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        fflush(NULL);
        // Without a pause nobody else comes to the list of streams on one processor.
        usleep(20);
    }
    return argument;
}

static void *opens(void *argument) {
    uint64_t state = storm.seed + (uintptr_t)argument;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        FILE *file = draw(&state, 4) ? fopen("/proc/self/maps", "r") : tmpfile();
        CHECK(file != NULL, "a file cannot be opened: errno %d", errno);
        char *line = NULL;
        size_t room = 0;
        for (int i = 0; i < 10 && getline(&line, &room, file) > 0; i++) {}
        free(line);
        fclose(file);
    }
    return NULL;
}

static _Noreturn void become_another(void) {
    execv("/proc/self/exe", self_arguments);
    _exit(4);
}

static void start_child(uint64_t *state) {
    pid_t child;
    switch (draw(state, 8)) {
    case 0:
        child = vfork();
        if (child == 0) become_another();
        CHECK(child > 0, "vfork fails with errno %d", errno);
        must_succeed(child, "a program started after vfork");
        break;
    case 1:
        CHECK(posix_spawn(&child, "/proc/self/exe", NULL, NULL, self_arguments, environ) == 0, "posix_spawn fails");
        must_succeed(child, "a program of posix_spawn");
        break;
    case 2: CHECK(system(":") == 0, "system fails"); break;
    case 3:
        if ((child = fork_child()) == 0) become_another();
        must_succeed(child, "a program started after fork");
        return;
    default:
        child = fork_child();
        if (child == 0) {
            work_alone(state, 40);
            _exit(0);
        }
        must_succeed(child, "a child");
        random_next(state);
        return;
    }
    atomic_fetch_add_explicit(&counts->forks, 1, memory_order_relaxed);
}

int main(int count, char **arguments) {
    if (count == 2) return free(hide(malloc(100))), 0;
    other_name = "lines";
    storm_begin(count, arguments);
    uint64_t state = storm.seed;
    for (uint64_t round = 0; !over(); round++) {
        pthread_t threads[READERS + 2];
        atomic_store(&stop, 0);
        for (uint64_t i = 0; i < READERS; i++) start(&threads[i], reads, round * 10 + i);
        start(&threads[READERS], flushes, 0);
        start(&threads[READERS + 1], opens, round * 10 + READERS);
        for (double end = now() + 0.7; now() < end; beat()) start_child(&state);
        atomic_store(&stop, 1);
        for (int i = 0; i < READERS + 2; i++) join(threads[i]);
        rest();
    }
    return storm_end();
}
