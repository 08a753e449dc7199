// docs: however many keys of HEAPWRIGHT there are not, one line on standard error says so; the program runs on
#include "check.h"

enum { KEYS = 5000 };

int main(int count, char **arguments) {
    if (count == 1) {
        // The program once more, with the keys: what it says comes here.
        static char keys[KEYS * 8], said[256 * KIB];
        size_t length = 0;
        for (int i = 0; i < KEYS; i++) length += (size_t)snprintf(keys + length, sizeof keys - length, "k%d,", i);
        setenv("HEAPWRIGHT", keys, 1);
        int ends[2];
        CHECK(pipe(ends) == 0, "no pipe");
        fflush(stdout);
        if (fork() == 0) {
            dup2(ends[1], 2);
            execl("/proc/self/exe", arguments[0], "again", NULL);
            _exit(1);
        }
        close(ends[1]);
        size_t held = 0;
        for (ssize_t got; (got = read(ends[0], said + held, sizeof said - 1 - held)) > 0;) held += (size_t)got;
        size_t lines = 0;
        for (size_t i = 0; i < held; i++) lines += said[i] == '\n';
        CHECK(lines == 1, "%zu lines are said: %.200s", lines, said);
        CHECK(strncmp(said, "heapwright: ", 12) == 0, "said is %.400s", said);
        CHECK(strstr(said, "no key \"k0\"") && strstr(said, "4999 more"), "said is %.400s", said);
        return 0;
    }
    void *block = malloc(100);
    CHECK(block != NULL, "malloc(100) is NULL");
    free(block);
    return 0;
}
