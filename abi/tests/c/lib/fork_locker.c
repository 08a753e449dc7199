// Registers handlers of fork in its constructor, which take a lock that the program's threads hold around malloc.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

pthread_mutex_t *locker(void) { return &mutex; }

static void take(void) { pthread_mutex_lock(&mutex); }
static void give(void) { pthread_mutex_unlock(&mutex); }

__attribute__((constructor)) static void begin(void) { pthread_atfork(take, give, give); }
