// thread-caches: a pool of twelve threads shares a heap of jobs, each of which builds a list; then there is little to do.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct item { struct item *next; char data[100]; };
static int jobs = 120;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t start;

static void *worker(void *unused) {
    (void)unused;
    pthread_barrier_wait(&start);
    for (;;) {
        pthread_mutex_lock(&lock);
        int job = jobs > 0 ? jobs-- : 0;
        pthread_mutex_unlock(&lock);
        if (!job) break;
        struct item *list = NULL;
        for (int i = 0; i < 20000; i++) {
            struct item *item = malloc(sizeof *item);
            memset(item->data, job, sizeof item->data);
            item->next = list;
            list = item;
        }
        usleep(3000);
        while (list) {
            struct item *gone = list;
            list = gone->next;
            free(gone);
        }
    }
    for (int i = 0; i < 150; i++) {
        free(malloc(50));
        usleep(3000);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[12];
    pthread_barrier_init(&start, NULL, 12);
    for (int i = 0; i < 12; i++) pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 12; i++) pthread_join(threads[i], NULL);
    return 0;
}
