// huge-pages: a service on jemalloc with thp:always and many arenas
// on: jemalloc

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *w(void *a) {
    long id = (long)a;
    char *k[30];
    for (int i = 0; i < 30; i++) {
        k[i] = malloc(3000 + 100 * i);
        memset(k[i], 1, 3000);
        usleep(1000);
    }
    for (int i = 0; i < 300; i++) {
        char *x = malloc(100 + (i * id) % 5000);
        memset(x, 1, 100);
        usleep(5000);
        free(x);
    }
    return 0;
}
int main(int c, char **v) {
    (void)c;
    if (!getenv("MALLOC_CONF")) {
        setenv("MALLOC_CONF", "thp:always,narenas:32", 1);
        execv("/proc/self/exe", v);
    }
    pthread_t t[32];
    for (long i = 0; i < 32; i++) {
        pthread_create(&t[i], 0, w, (void *)i);
        usleep(3000);
    }
    for (int i = 0; i < 32; i++) pthread_join(t[i], 0);
    return 0;
}
