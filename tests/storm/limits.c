// Limits go up and down while threads allocate: by setrlimit, by prlimit, and by prlimit of another process, which the program
// cannot see. Every refusal is NULL with ENOMEM, the old block stays as it was, a limit binds, and once it is gone all is well.
// Children live under a small limit from their start.
#include "storm.h"

enum { WORKERS = 4, THREAD_STACK = 256 * 1024 };

static void *refusable(void *argument) {
    struct own *own = argument;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        void **slot = &own->blocks[draw(&own->state, OWN)];
        size_t size = any_size(&own->state);
        errno = 0;
        void *block = *slot && draw(&own->state, 3) == 0 ? resize(*slot, size) : NULL;
        if (block) {
            *slot = block;
            continue;
        }
        if (errno == 0) {
            give_back(*slot);
            *slot = obtain(&own->state, size);
            if (*slot) continue;
        }
        CHECK(errno == ENOMEM, "an allocation of %zu is NULL with errno %d", size, errno);
        atomic_fetch_add_explicit(&counts->refused, 1, memory_order_relaxed);
        // Who is refused and asks again at once keeps everybody else from the address space.
        usleep(100);
    }
    free_own(own);
    return NULL;
}

static void set_soft(int resource, size_t bytes) {
    struct rlimit limit;
    CHECK(getrlimit((__rlimit_resource_t)resource, &limit) == 0, "getrlimit fails with errno %d", errno);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    CHECK(setrlimit((__rlimit_resource_t)resource, &limit) == 0, "setrlimit fails with errno %d", errno);
}

static void set_soft_by_prlimit(pid_t pid, int resource, size_t bytes) {
    struct rlimit limit;
    CHECK(prlimit(pid, (__rlimit_resource_t)resource, NULL, &limit) == 0, "prlimit fails with errno %d", errno);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    CHECK(prlimit(pid, (__rlimit_resource_t)resource, &limit, NULL) == 0, "prlimit fails with errno %d", errno);
}

// Another process sets the limit of this one, and takes it away again.
static void from_outside(int resource, size_t bytes, uint64_t *state) {
    pid_t parent = getpid(), child = fork_child();
    unsigned wait = 500 + (unsigned)draw(state, 3000);
    if (child == 0) {
        set_soft_by_prlimit(parent, resource, bytes);
        usleep(wait);
        set_soft_by_prlimit(parent, resource, RLIM_INFINITY);
        _exit(0);
    }
    must_succeed(child, "the process that sets limits");
}

static void *small_thread(void *argument) {
    uint64_t state = (uintptr_t)argument;
    for (int i = 0; i < 20; i++) give_back(obtain(&state, SMALLEST + draw(&state, 4000)));
    return NULL;
}

// Under a limit that leaves room, the program's own mappings and threads have room too.
static void room_beside_the_heap(uint64_t *state) {
    void *mapping = mmap(NULL, 20 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mapping != MAP_FAILED, "under a limit of 1.5 GiB that the program set, it cannot map 20 MiB: errno %d", errno);
    munmap(mapping, 20 * MIB);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    int error = pthread_create(&thread, &attributes, small_thread, (void *)(uintptr_t)random_next(state));
    CHECK(error == 0, "under a limit of 1.5 GiB that the program set, it cannot start a thread: error %d", error);
    join(thread);
    pthread_attr_destroy(&attributes);
}

// The limit is the heap's too: blocks of 16 MiB, never touched, until there are no more.
static void limit_binds(size_t limit) {
    static void *blocks[2 * GIB / (16 * MIB)];
    size_t count = 0, most = sizeof blocks / sizeof *blocks;
    for (; count < most; count++) {
        errno = 0;
        if ((blocks[count] = malloc(16 * MIB)) == NULL) break;
    }
    CHECK(count == most || errno == ENOMEM, "malloc(16 MiB) is NULL with errno %d", errno);
    size_t total = count * 16 * MIB;
    while (count > 0) free(blocks[--count]);
    CHECK(total <= limit, "%zu MiB are allocated under a limit of %zu MiB", total / MIB, limit / MIB);
    CHECK(total >= limit / 4, "only %zu MiB can be allocated under a limit of %zu MiB", total / MIB, limit / MIB);
}

// Once there is no limit, everything works at once.
static void recovers(uint64_t *state) {
    for (int i = 0; i < 40; i++) give_back(must_obtain(state, any_size(state)));
    free(hide(stamp(malloc(40 * MIB), 40 * MIB)));
}

// Runs as a program of its own under a limit from its start: some memory, exhaustion, and all of it again.
static int small_program(void) {
    for (int round = 0; round < 2; round++) {
        void **list = NULL;
        size_t total = 0;
        for (void **block; (block = malloc(2000)); list = block, total += 2000) *block = list;
        CHECK(errno == ENOMEM, "malloc(2000) is NULL with errno %d", errno);
        CHECK(total >= 256 * KIB, "only %zu KiB can be allocated, round %d", total / KIB, round);
        while (list) {
            void **next = *list;
            free(list);
            list = next;
        }
    }
    return 0;
}

static void start_small(uint64_t *state) {
    size_t sizes[] = {8, 10, 12, 16, 24, 48, 100, 300}, size = sizes[draw(state, 8)] * MIB;
    pid_t child = fork_child();
    if (child == 0) {
        struct rlimit limit = {size, size};
        setrlimit(RLIMIT_AS, &limit);
        execl("/proc/self/exe", "limits", "small", NULL);
        _exit(4);
    }
    int status = status_of(child);
    CHECK(status == 0, "a program under a limit of %zu MiB ends with status %#x", size / MIB, status);
}

static void grow_stack(void) {
    volatile char room[256 * 1024];
    for (size_t i = 0; i < sizeof room; i += 4096) room[i] = 1;
}

int main(int count, char **arguments) {
    if (count == 2) return small_program();
    storm_begin(count, arguments);
    // A stack that has to grow under a limit is a fault of its own.
    grow_stack();
    uint64_t state = storm.seed;
    static struct own owns[WORKERS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, THREAD_STACK);
    while (!over()) {
        pthread_t threads[WORKERS];
        atomic_store(&stop, 0);
        for (int i = 0; i < WORKERS; i++) {
            owns[i].state = random_next(&state);
            CHECK(pthread_create(&threads[i], &attributes, refusable, &owns[i]) == 0, "pthread_create fails without a limit");
            atomic_fetch_add_explicit(&counts->threads, 1, memory_order_relaxed);
        }
        for (double end = now() + 0.8; now() < end; beat()) {
            // From far too little to plenty.
            size_t bytes = draw(&state, 2) ? MIB << draw(&state, 9) : 256 * MIB + draw(&state, GIB);
            switch (draw(&state, 9)) {
            case 0: set_soft(RLIMIT_AS, bytes); break;
            case 1: set_soft_by_prlimit(0, RLIMIT_AS, bytes); break;
            case 2: set_soft(RLIMIT_DATA, bytes); break;
            case 3: set_soft(RLIMIT_STACK, MIB + bytes % (32 * MIB)); break;
            case 4: from_outside(draw(&state, 2) ? RLIMIT_AS : RLIMIT_DATA, bytes, &state); break;
            case 5:
                set_soft(RLIMIT_AS, 3 * GIB / 2);
                room_beside_the_heap(&state);
                limit_binds(3 * GIB / 2);
                break;
            default: start_small(&state);
            }
            usleep((unsigned)draw(&state, 3000));
            set_soft(RLIMIT_AS, RLIM_INFINITY);
            set_soft(RLIMIT_DATA, RLIM_INFINITY);
            set_soft(RLIMIT_STACK, 8 * MIB);
            recovers(&state);
        }
        atomic_store(&stop, 1);
        for (int i = 0; i < WORKERS; i++) join(threads[i]);
        rest();
    }
    return storm_end();
}
