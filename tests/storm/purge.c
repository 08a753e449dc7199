// Heaps of 200 MiB are built, freed in parts and built again while threads give memory back all the time; and the same in children
// whose memory is locked, or whose madvise is refused.
#include "storm.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

enum { WORKERS = 2, STACK = 256 * 1024 };

struct heap {
    void **blocks;
    size_t count, bytes;
    uint64_t state;
};

static void build(struct heap *heap, size_t bytes) {
    size_t most = bytes / 600;
    heap->blocks = malloc(most * sizeof(void *));
    CHECK(heap->blocks != NULL, "malloc(%zu) is NULL", most * sizeof(void *));
    heap->count = heap->bytes = 0;
    while (heap->bytes < bytes && heap->count < most) {
        size_t size = any_size(&heap->state);
        heap->blocks[heap->count++] = must_obtain(&heap->state, size);
        heap->bytes += size;
    }
}

// All but every `left`th, in a stride that scatters; then again as much.
static void free_in_parts(struct heap *heap) {
    for (int pass = 0; pass < 3; pass++, beat()) {
        size_t left = 2 + draw(&heap->state, 50);
        for (size_t i = 0; i < heap->count; i++)
            if (i % left) give_back(heap->blocks[i]), heap->blocks[i] = NULL;
        if (pass == 1) malloc_trim(draw(&heap->state, MIB));
        for (size_t i = 0; i < heap->count; i += 3)
            if (!heap->blocks[i]) heap->blocks[i] = must_obtain(&heap->state, SMALLEST + draw(&heap->state, 3000));
    }
    for (size_t i = 0; i < heap->count; i++) give_back(heap->blocks[i]);
    free(heap->blocks);
}

static void *trims(void *argument) {
    uint64_t state = storm.seed + (uintptr_t)argument;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        malloc_trim(0);
        work_alone(&state, 50);
        usleep((unsigned)draw(&state, 2000));
    }
    return NULL;
}

static void use_with_threads(struct heap *heap, size_t bytes) {
    pthread_t threads[WORKERS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    atomic_store(&stop, 0);
    for (int i = 0; i < WORKERS; i++) {
        int error = pthread_create(&threads[i], &attributes, trims, (void *)(uintptr_t)random_next(&heap->state));
        CHECK(error == 0, "pthread_create fails with error %d", error);
        atomic_fetch_add_explicit(&counts->threads, 1, memory_order_relaxed);
    }
    build(heap, bytes);
    free_in_parts(heap);
    atomic_store(&stop, 1);
    for (int i = 0; i < WORKERS; i++) join(threads[i]);
}

// Whether it could be done: not everywhere may a program lock memory, or filter its calls.
static int refuse_madvise(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void in_a_child(struct heap *heap, int lock) {
    pid_t child = fork_child();
    if (child == 0) {
        if (lock ? mlockall(MCL_CURRENT | MCL_FUTURE) == 0 : refuse_madvise()) {
            use_with_threads(heap, 40 * MIB);
            void *blocks[50];
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 50; i++) blocks[i] = must_obtain(&heap->state, 50000 + (size_t)i * 3000);
                for (int i = 0; i < 50; i++) give_back(blocks[i]);
            }
            check_heap();
        }
        _exit(0);
    }
    must_succeed(child, lock ? "a child with its memory locked" : "a child that is refused madvise");
    random_next(&heap->state);
    atomic_fetch_add_explicit(&counts->other, 1, memory_order_relaxed);
}

int main(int count, char **arguments) {
    other_name = "refused children";
    storm_begin(count, arguments);
    struct heap heap = {.state = storm.seed};
    for (int round = 0; !over(); round++) {
        use_with_threads(&heap, 200 * MIB);
        beat();
        in_a_child(&heap, round % 2);
        rest();
    }
    return storm_end();
}
