// docs/tuning.md: opened by a running program the library needs 640 bytes of the static TLS that glibc has left; with less, the
//   loader says so and the program goes on with its own malloc; GLIBC_TUNABLES gives more
// run: alone
// plugin: fills_tls.c
#include <dlfcn.h>
#include <sys/mman.h>

#include "check.h"

enum { PIECE = 64, OURS = 640 / PIECE, MOST = 4096 / PIECE };

// The same library under another name each time. 0: no room for its thread-local storage.
static int fill_one(void) {
    int from = open(getenv("PLUGIN"), O_RDONLY), to = memfd_create("fills_tls", 0);
    CHECK(from >= 0 && to >= 0, "the plugin cannot be copied");
    char part[4096], name[64];
    for (ssize_t n; (n = read(from, part, sizeof part)) > 0;) CHECK(write(to, part, (size_t)n) == n, "write fails");
    close(from);
    snprintf(name, sizeof name, "/proc/self/fd/%d", to);
    if (dlopen(name, RTLD_NOW)) return 1;
    const char *said = dlerror();
    CHECK(strstr(said, "static TLS"), "dlopen: %s", said);
    return 0;
}

static int status_of(pid_t child) {
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status), "a child is lost");
    return WEXITSTATUS(status);
}

// How many pieces fit, tried in a child.
static int room(void) {
    pid_t child = fork();
    if (child) return status_of(child);
    int count = 0;
    while (count < MOST && fill_one()) count++;
    _exit(count);
}

// Opens the library after `pieces` have been taken, in a child; whether it was accepted.
static int opens_after(int pieces) {
    pid_t child = fork();
    if (child) return status_of(child) == 0;
    while (pieces-- > 0) CHECK(fill_one(), "fewer pieces fit than before");
    void *library = dlopen(getenv("HEAPWRIGHT_SO"), RTLD_NOW);
    const char *said = library ? "" : dlerror();
    CHECK(library || strstr(said, "static TLS"), "dlopen: %s", said);
    void *(*take)(size_t) = library ? (void *(*)(size_t))dlsym(library, "malloc") : malloc;
    void (*drop)(void *) = library ? (void (*)(void *))dlsym(library, "free") : free;
    for (size_t size = 1; size < MIB; size = size * 2 + 1) {
        char *block = take(size), *own = malloc(size);
        CHECK(block && own, "%zu bytes are refused", size);
        fill(block, size, 3);
        drop(block), free(own);
    }
    _exit(library ? 0 : 2);
}

int main(void) {
    alarm(55);
    int fits = room();
    if (getenv("GLIBC_TUNABLES")) {
        CHECK(fits >= 20 + OURS, "the tunable gives room for %d pieces only", fits);
        CHECK(opens_after(20), "not opened with the tunable set");
        return 0;
    }
    printf("%d bytes of static TLS are left\n", fits * PIECE);
    fflush(stdout);
    if (fits < OURS || fits == MOST) SKIP("another glibc");
    CHECK(opens_after(0), "not opened by a program that has used nothing");
    CHECK(opens_after(fits - OURS), "%d bytes are not enough", OURS * PIECE);
    CHECK(!opens_after(fits), "opened without room");
    setenv("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=4096", 1);
    execl("/proc/self/exe", "dlopen_static_tls", (char *)NULL);
    CHECK(0, "exec fails");
}
