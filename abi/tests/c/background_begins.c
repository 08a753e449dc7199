// docs: with background=1 a process has one thread more once it has grown, and not before; that takes no signals, lets
//   setuid and fork be, begins anew in a child that goes on allocating, and ends with the others
// link: heapwright
// env: HEAPWRIGHT=background=1
#include <pthread.h>
#include <signal.h>

#include "tasks.h"

static void *blocks[3000];

static void allocate(int count, size_t size) {
    for (int i = 0; i < count; i++) {
        errno = 4242;
        CHECK((blocks[i] = malloc(size)) != NULL, "malloc(%zu) is NULL", size);
        CHECK(errno == 4242, "malloc sets errno to %d", errno);
        memset(blocks[i], 1, size);
    }
}

static void free_all(int count) {
    for (int i = 0; i < count; i++) free(blocks[i]);
}

static volatile sig_atomic_t taken_by;

static void on_signal(int signal) {
    (void)signal;
    taken_by = gettid();
}

static void *last(void *main_thread) {
    CHECK(pthread_join(*(pthread_t *)main_thread, NULL) == 0, "main cannot be joined");
    return NULL;
}

int main(void) {
    alarm(50);
    CHECK(tasks() == 1, "a process begins with %d threads", tasks());
    allocate(1000, 1000);
    CHECK(tasks() == 1, "a small process has %d threads", tasks());
    free_all(1000);
    // Children of a small process are small processes.
    pid_t child = fork();
    if (child == 0) _exit(tasks() != 1);
    ended_well(child, "small child");

    allocate(300, 100000);
    wait_for_tasks(2, "a large process");

    // What comes to the process waits for its own threads.
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    sigprocmask(SIG_BLOCK, &usr1, NULL);
    kill(getpid(), SIGUSR1);
    usleep(20000);
    CHECK(taken_by == 0, "thread %d takes the process's signal", (int)taken_by);
    sigprocmask(SIG_UNBLOCK, &usr1, NULL);
    CHECK(taken_by == gettid(), "the signal came to %d", (int)taken_by);
    // All threads take part in it.
    CHECK(setuid(getuid()) == 0 && setgid(getgid()) == 0, "setuid fails");

    // A child that does little has one thread, one that goes on has two, and so may its child.
    child = fork();
    if (child == 0) {
        free_all(300);
        allocate(300, 100000);
        CHECK(tasks() == 1, "a child has %d threads", tasks());
        for (int round = 0; round < 10; round++) free_all(300), allocate(300, 100000);
        wait_for_tasks(2, "a busy child");
        pid_t inner = fork();
        if (inner == 0) _exit(tasks() != 1);
        ended_well(inner, "child's child");
        exit(0);
    }
    ended_well(child, "child");
    for (int i = 0; i < 20; i++) {
        child = vfork();
        if (child == 0) {
            free(malloc(100000));
            // Without the library, which need not be for its C library.
            char *nothing[] = {NULL};
            execle("/bin/true", "true", (char *)NULL, nothing);
            _exit(1);
        }
        ended_well(child, "program");
    }
    CHECK(tasks() == 2, "after children: %d threads", tasks());

    // The process ends though main leaves and the last of its threads is not its own.
    static pthread_t self, thread;
    self = pthread_self();
    CHECK(pthread_create(&thread, NULL, last, &self) == 0, "pthread_create fails");
    pthread_exit(NULL);
}
