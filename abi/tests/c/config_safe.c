// docs: HEAPWRIGHT=safe=1 changes nothing for a program without mistakes
// env: HEAPWRIGHT=safe=1
#include "threads.h"

int main(void) {
    alarm(55);
    use_every_size();
    pthread_t threads[3];
    start_churning(threads, 3);
    usleep(500000);
    stop_and_join(threads, 3);
    use_every_size();
    return 0;
}
