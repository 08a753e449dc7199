// own-mappings: sixty threads that each recurse 800 KB deep once, and then wait

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int deep(int n) {
    volatile char b[4000];
    memset((void *)b, n, 4000);
    return n ? deep(n - 1) + b[5] : 0;
}
static void *w(void *a) {
    (void)a;
    deep(200);
    for (int i = 0; i < 100; i++) {
        char *x = malloc(300);
        x[0] = 1;
        usleep(15000);
        free(x);
    }
    return 0;
}
int main(void) {
    pthread_t t[60];
    for (int i = 0; i < 60; i++) {
        pthread_create(&t[i], 0, w, 0);
        usleep(5000);
    }
    for (int i = 0; i < 60; i++) pthread_join(t[i], 0);
    return 0;
}
