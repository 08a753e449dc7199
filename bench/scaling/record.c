/* A library to preload: writes down every call of malloc and its relatives, by thread, in the order in which they took effect.
 *
 *     RECORD=file LD_PRELOAD=librecord.so program
 *
 * The file is an array of pairs of 64-bit words, in the machine's order:
 *
 *     first word    [ size or number: 48 bits | thread: 13 bits | kind: 3 bits ]     second word: the block's address
 *
 * A free is numbered before it is done and an allocation after it, so an address is free before it is handed out again.
 * src/stream.rs reads it. glibc only: its malloc has a second name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALLOCATED = 1, FREED, RESIZING, RESIZED, STARTED, JOINED };
enum { MOST_EVENTS = 1 << 27, MOST_THREADS = 1 << 13, TURN = 16 };

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static struct event { uint64_t what, at; } *events;
static int file = -1;
static _Atomic uint64_t next_event;
static _Atomic uint32_t threads = 1;
static __thread uint32_t me __attribute__((tls_model("initial-exec")));
static __thread uint32_t noted __attribute__((tls_model("initial-exec")));
static pthread_t handles[MOST_THREADS];

static void note(int kind, uint64_t number, const void *at) {
    if (!events) return;
    uint64_t event = atomic_fetch_add(&next_event, 1);
    if (event >= MOST_EVENTS) return;
    events[event] = (struct event){number << 16 | (uint64_t)me << 3 | (uint64_t)kind, (uintptr_t)at};
    /* Threads that are more than there are processors advance side by side, as if each had its own. */
    if (++noted % TURN == 0) sched_yield();
}

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("RECORD");
    size_t bytes = (size_t)MOST_EVENTS * sizeof *events;
    if (!name) return;
    file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0) _exit(121);
    void *map = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) _exit(122);
    events = map;
}

__attribute__((destructor)) static void end(void) {
    if (!events) return;
    uint64_t count = atomic_load(&next_event);
    if (count > MOST_EVENTS || atomic_load(&threads) > MOST_THREADS) {
        static const char why[] = "record: more calls or threads than there is room for\n";
        if (write(2, why, sizeof why - 1)) _exit(123);
    }
    events = 0;
    if (ftruncate(file, (off_t)(count * sizeof *events)) != 0) _exit(124);
}

void *malloc(size_t size) {
    void *block = __libc_malloc(size);
    if (block) note(ALLOCATED, size, block);
    return block;
}

void *calloc(size_t count, size_t size) {
    void *block = __libc_calloc(count, size);
    if (block) note(ALLOCATED, count * size, block);
    return block;
}

void free(void *block) {
    if (block) note(FREED, 0, block);
    __libc_free(block);
}

void *realloc(void *old, size_t size) {
    if (!old) return malloc(size);
    note(RESIZING, 0, old);
    void *block = __libc_realloc(old, size);
    /* Refused: the old block again, by which nothing has changed. */
    note(RESIZED, block ? size : 1, block ? block : old);
    return block;
}

/* Alignment is not written down: what is asked for is as large as it is aligned, at least. */
static void *aligned(size_t align, size_t size) {
    void *block = __libc_memalign(align, size);
    if (block) note(ALLOCATED, size > align ? size : align, block);
    return block;
}

void *memalign(size_t align, size_t size) { return aligned(align, size); }
void *aligned_alloc(size_t align, size_t size) { return aligned(align, size); }

int posix_memalign(void **out, size_t align, size_t size) {
    void *block = aligned(align, size);
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}

struct start { void *(*run)(void *); void *argument; uint32_t number; };

static void *trampoline(void *at) {
    struct start start = *(struct start *)at;
    me = start.number;
    __libc_free(at);
    return start.run(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    static _Atomic(void *) known;
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *found = atomic_load(&known);
    if (!found) atomic_store(&known, found = dlsym(RTLD_NEXT, "pthread_create"));
    *(void **)&real = found;
    struct start *start = __libc_malloc(sizeof *start);
    uint32_t number = atomic_fetch_add(&threads, 1) % MOST_THREADS;
    *start = (struct start){run, argument, number};
    note(STARTED, number, 0);
    int status = real(thread, attributes, trampoline, start);
    if (status == 0) handles[number] = *thread;
    return status;
}

int pthread_join(pthread_t thread, void **result) {
    static _Atomic(void *) known;
    int (*real)(pthread_t, void **);
    void *found = atomic_load(&known);
    if (!found) atomic_store(&known, found = dlsym(RTLD_NEXT, "pthread_join"));
    *(void **)&real = found;
    uint32_t number = atomic_load(&threads);
    /* The youngest of that name: names are used again. */
    while (number > 0 && !pthread_equal(handles[(number - 1) % MOST_THREADS], thread)) number--;
    int status = real(thread, result);
    if (number > 0) note(JOINED, number - 1, 0);
    return status;
}
