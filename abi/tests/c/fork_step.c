// survival: fork at every n-th instruction of the slow paths: thread A runs them with the processor's trap flag set and stops at each
//   of the library's instructions; at every n-th, another thread forks. A goes on if the fork waits for a lock that A holds. Each child
//   allocates in every size and checks all structures. `fork_step 1` stops at each instruction and takes an hour
// link: heapwright
// long: only on the flagship
// args: 9973
// timeout: 150
#include <dlfcn.h>
#include <heapwright.h>
#include <link.h>
#include <malloc.h>
#include <semaphore.h>
#include <time.h>
#include <ucontext.h>

#include "forking.h"

#if defined(__x86_64__)
static uintptr_t from, to;
static long every, stops, forks, waits;
static sem_t asked, forked, done;
static atomic_int ended;

static int find_library(struct dl_phdr_info *info, size_t size, void *address) {
    (void)size;
    uintptr_t first = 0, last = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        first = info->dlpi_addr + part->p_vaddr, last = first + part->p_memsz;
        if ((uintptr_t)address >= first && (uintptr_t)address < last) {
            from = first, to = last;
            return 1;
        }
    }
    return 0;
}

// Another thread forks whenever it is asked to.
static void *forker(void *argument) {
    for (;;) {
        while (sem_wait(&asked) != 0) {}
        if (atomic_load(&ended)) return argument;
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            use_every_size();
            _exit(heapwright_check() ? 4 : 0);
        }
        sem_post(&forked);
        int status = end_of(child);
        CHECK(status == 0, "the child at stop %ld ends with status %#x", stops, status);
        sem_post(&done);
    }
}

static void stop(int number, siginfo_t *what, void *context) {
    (void)number, (void)what;
    static int pending;
    int kept = errno;
    uintptr_t at = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    if (at < from || at >= to) return;
    if (pending && sem_trywait(&forked) == 0) {
        while (sem_wait(&done) != 0) {}
        pending = 0;
    }
    if (++stops % every == 0 && !pending) {
        forks++;
        pending = 1;
        sem_post(&asked);
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 30000000;
        if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
        int answer;
        while ((answer = sem_timedwait(&forked, &until)) != 0 && errno == EINTR) {}
        if (answer == 0) {
            while (sem_wait(&done) != 0) {}
            pending = 0;
        } else {
            waits++;
        }
    }
    errno = kept;
}

// From here on the processor stops this thread after each instruction.
static void set_trap(void) {
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
}

static void *blocks[3000];

static void fill_up(size_t size, int count) {
    for (int i = 0; i < count; i++) blocks[i] = malloc(size);
}

static void drop(int count) {
    for (int i = 0; i < count; i++) free(blocks[i]);
}

static void refill_and_flush(void) { fill_up(48, 300), drop(300); }
static void new_slabs(void) { int n = (int)trials(30); fill_up(9000, n), drop(n), malloc_trim(0); }
static void runs(void) {
    for (size_t size = 50000; size < 3000000; size *= 3) fill_up(size, 5), drop(5);
}
static void huge(void) { fill_up(40 * MIB, 2), drop(2); }
static void moves(void) {
    void *block = NULL;
    for (size_t size = 100; size < 400 * KIB; size *= 4) block = realloc(block, size);
    free(block);
    block = malloc(40 * MIB), block = realloc(block, 50 * MIB), block = realloc(block, 200);
    free(block);
}
static void aligned_ones(void) {
    for (size_t alignment = 64; alignment < MIB; alignment *= 8) free(aligned_alloc(alignment, 3 * alignment));
}
static void heaps(void) {
    heapwright_heap *heap = heapwright_heap_new();
    for (int i = 0; i < 20; i++) blocks[i] = heapwright_heap_malloc(heap, (size_t)1 << i);
    heapwright_heap_destroy(heap);
}
static void purge(void) { int n = (int)trials(200); fill_up(3000, n), drop(n), heapwright_purge(); }

static const struct {
    const char *name;
    void (*run)(void);
} paths[] = {
    {"refill and flush", refill_and_flush}, {"slabs", new_slabs}, {"runs", runs}, {"huge blocks", huge},
    {"realloc", moves}, {"alignment", aligned_ones}, {"heaps", heaps}, {"purge", purge},
};

// Each path in a thread of its own, whose first block makes its cache. The flag stays set while the library's destructor gives it
// back; ours, whose key was made later, clears it before the C library blocks all signals.
static pthread_key_t last;

static void clear_trap(void *value) {
    (void)value;
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
}

static void *walk(void *argument) {
    pthread_setspecific(last, argument);
    set_trap();
    ((void (*)(void))argument)();
    return NULL;
}

int main(int count, char **arguments) {
    every = count > 1 ? atol(arguments[1]) : 1;
    dl_iterate_phdr(find_library, hide((void *)(uintptr_t)heapwright_check));
    Dl_info where;
    CHECK(dladdr((void *)(uintptr_t)heapwright_check, &where), "dladdr fails");
    if (!from) dl_iterate_phdr(find_library, dlsym(RTLD_DEFAULT, "heapwright_check"));
    CHECK(from != 0, "the library's instructions are not found");
    setvbuf(stdout, NULL, _IOLBF, 0);
    sem_init(&asked, 0, 0), sem_init(&forked, 0, 0), sem_init(&done, 0, 0);
    struct sigaction action = {.sa_sigaction = stop, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    pthread_key_create(&last, clear_trap);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, forker, NULL) == 0, "pthread_create fails");
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        long stops_before = stops, forks_before = forks, waits_before = waits;
        pthread_t walker;
        CHECK(pthread_create(&walker, NULL, walk, (void *)(uintptr_t)paths[i].run) == 0, "pthread_create fails");
        pthread_join(walker, NULL);
        printf("%-18s %8ld stops %6ld forks, %ld waited\n", paths[i].name, stops - stops_before, forks - forks_before,
               waits - waits_before);
    }
    atomic_store(&ended, 1);
    CHECK(stops > 1000 && forks > 0, "%ld stops and %ld forks are too few", stops, forks);
    CHECK(heapwright_check() == 0, "a structure is broken");
    return 0;
}
#else
int main(void) { SKIP("there is no trap flag here"); }
#endif
