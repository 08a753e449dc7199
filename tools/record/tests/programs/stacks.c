// Blocks of known sizes from known places, each said with the stack that the C library's own unwinder finds there.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))

void *volatile block;

APART void leaf(int size) {
    static void *frames[1000];
    static char buffer[1 << 16];
    block = malloc(size);
    int depth = backtrace(frames, 1000), len = sprintf(buffer, "%d", size);
    for (int i = 0; i < depth; i++) len += sprintf(buffer + len, " %p", frames[i]);
    buffer[len++] = '\n';
    if (write(1, buffer, len) != len) abort();
    free(block);
}

APART void down(int deep, int size) {
    if (deep > 0) down(deep - 1, size);
    else leaf(size);
    block = 0;
}

APART void on_a_stack_of_words(int words, int size) {
    char room[words * 8];
    block = room;
    down(2, size);
    block = room;
}

// In a part of the program that a flag puts far from the others.
__attribute__((noinline, section(".far"))) void far_off(int size) {
    down(1, size);
    block = 0;
}

APART void aligned(int words, int size) {
    char room[64] __attribute__((aligned(64)));
    char more[words];
    block = room;
    block = more;
    on_a_stack_of_words(words, size);
    block = room;
}

APART void handler(int signal) {
    down(1, 5000 + signal);
    block = 0;
}

APART void signaled(int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(SIGUSR1 + (flags != 0) * (SIGUSR2 - SIGUSR1), &action, NULL);
    raise(flags ? SIGUSR2 : SIGUSR1);
    block = 0;
}

static ucontext_t back, there;

static void coroutine(void) {
    down(3, 5100);
    swapcontext(&there, &back);
    down(1, 5101);
}

// Three pages with nothing readable around them.
static void coroutines(void) {
    for (int round = 0; round < 2; round++) {
        char *stack = mmap(NULL, 9 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(stack + 4096, 7 * 4096, PROT_READ | PROT_WRITE);
        getcontext(&there);
        there.uc_stack.ss_sp = stack + 4096;
        there.uc_stack.ss_size = 7 * 4096;
        there.uc_link = &back;
        makecontext(&there, coroutine, 0);
        swapcontext(&back, &there);
        down(1, 5102);
        swapcontext(&back, &there);
        munmap(stack, 9 * 4096);
    }
}

APART void *thread(void *size) {
    aligned(70, (int)(long)size);
    block = 0;
    return NULL;
}

static void threads(void) {
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    for (long i = 0; i < 4; i++) {
        pthread_t other;
        pthread_create(&other, i & 1 ? &small : NULL, thread, (void *)(5200 + i));
        pthread_join(other, NULL);
    }
}

// A library, and when it is gone another one, in the same place if the loader will.
static void libraries(void) {
    const char *names[] = {"./one.so", "./other.so"};
    for (int i = 0; i < 2; i++) {
        void *library = dlopen(names[i], RTLD_NOW);
        if (!library) continue;
        void (*call)(void (*)(int), int) = (void (*)(void (*)(int), int))dlsym(library, "call");
        call(leaf, 5300 + i);
        dlclose(library);
    }
}

int main(void) {
    void *first[4];
    backtrace(first, 4);
    leaf(4900);
    for (int i = 0; i < 3; i++) down(i, 4901 + i);
    aligned(100, 4910);
    far_off(4911);
    down(200, 4920);
    down(100, 4921);
    signaled(0);
    static char other[32 << 10];
    stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
    sigaltstack(&stack, NULL);
    signaled(SA_ONSTACK);
    coroutines();
    threads();
    libraries();
    return 0;
}
