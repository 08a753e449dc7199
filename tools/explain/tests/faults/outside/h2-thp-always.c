// huge-pages: 200 MB resident for 6 MB live: jemalloc's arenas in huge pages (thp:always). Turn it off.
// on: jemalloc

/* A proxy of 48 connection threads, of which each holds some 100 KB. Its unit file runs it on jemalloc with MALLOC_CONF=thp:always, which
 * somebody read is faster (recorded with -a jemalloc; it sets the variable itself here, and starts anew).
 * FAULT (huge pages): every arena's pieces become huge pages: 2 MB and more resident for what a few pages would hold. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *connection(void *arg) {
    unsigned long seed = (unsigned long)arg * 31 + 1;
    char *keep[60];
    for (int i = 0; i < 60; i++) { keep[i] = malloc(1000 + i * 20); memset(keep[i], 'k', 1000); usleep(300); }
    for (int i = 0; i < 400; i++) {
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        unsigned n = 200 + (unsigned)(seed >> 40) % 8000;
        char *in = malloc(n), *out = malloc(n / 2);
        memset(in, 'i', n); memcpy(out, in, n / 2);
        free(in); free(out);
        usleep(6000);
    }
    for (int i = 0; i < 60; i++) free(keep[i]);
    return 0;
}

int main(int argc, char **argv) {
    if (!getenv("MALLOC_CONF")) { setenv("MALLOC_CONF", "thp:always,narenas:64", 1); execv("/proc/self/exe", argv); }
    pthread_t t[48];
    for (long i = 0; i < 48; i++) { pthread_create(&t[i], 0, connection, (void *)i); usleep(4000); }
    for (int i = 0; i < 48; i++) pthread_join(t[i], 0);
    (void)argc;
    return 0;
}
