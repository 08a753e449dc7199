// thread-caches: twelve workers use buffers of 20 to 100 KiB in turns for a moment and then serve small requests

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *w(void *a) {
    long id = (long)a;
    usleep(80000 * id);
    void *b[60];
    for (int i = 0; i < 60; i++) {
        size_t n = 20000 + i * 1300;
        b[i] = malloc(n);
        memset(b[i], 1, n);
    }
    void *last = malloc(16);
    for (int i = 0; i < 60; i++) free(b[i]);
    for (int i = 0; i < 400; i++) {
        char *x = malloc(200 + i);
        x[0] = 1;
        usleep(4000);
        free(x);
    }
    free(last);
    return 0;
}
int main(void) {
    pthread_t t[12];
    for (long i = 0; i < 12; i++) pthread_create(&t[i], 0, w, (void *)i);
    for (int i = 0; i < 12; i++) pthread_join(t[i], 0);
    return 0;
}
