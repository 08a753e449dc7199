// survival: exit, fork, abort and longjmp in a signal handler that interrupted malloc, with one thread; exit handlers allocate and
//   free, and what they write is theirs alone
// long: only on the flagship
// also: glibc
// again: HEAPWRIGHT=safe=1
#include <malloc.h>
#include <setjmp.h>

#include "interrupted.h"

static char *kept[100];
static sigjmp_buf outside;

static size_t size_of(int i) { return (size_t)(i * i * (i % 10 ? 5 : 50)); }

// All that an exit handler may ask of malloc.
static void uses_the_heap(void) {
    char *mine[200];
    for (int i = 0; i < 200; i++) {
        size_t size = (size_t)(i * 53);
        CHECK((mine[i] = i % 3 ? malloc(size) : calloc(1, size)) != NULL, "malloc(%zu) is NULL", size);
        if (i % 3 == 0) CHECK(first_dirty(mine[i], size) == size, "calloc(%zu) is dirty", size);
        fill(mine[i], size, (unsigned)i);
    }
    for (int i = 0; i < 100; i += 3) {
        size_t size = size_of(i);
        CHECK(first_difference(kept[i], size, (unsigned)i) == size, "a block of %zu was overwritten", size);
        char *grown = realloc(kept[i], size + 5000);
        if (grown) kept[i] = grown;
        CHECK(first_difference(kept[i], size, (unsigned)i) == size, "realloc of %zu lost bytes", size);
    }
    void *at = NULL;
    CHECK(posix_memalign(&at, 4096, 5000) == 0 && aligned(at, 4096), "posix_memalign gives %p", at);
    free(at);
    for (int i = 0; i < 100; i++) free(kept[i]), kept[i] = NULL;
    for (int i = 0; i < 200; i++) {
        size_t size = (size_t)(i * 53);
        CHECK(first_difference(mine[i], size, (unsigned)i) == size, "a block of %zu in an exit handler was overwritten", size);
        if (i % 2) CHECK((mine[i] = realloc(mine[i], size + 100)) != NULL, "realloc is NULL");
        CHECK(first_difference(mine[i], size, (unsigned)i) == size, "realloc of %zu in an exit handler lost bytes", size);
        free(mine[i]);
    }
}

static void ends(void) { exit(0); }

static void asks(void) {
    malloc_trim(0);
    mallinfo2();
    free(hide(malloc(malloc_usable_size(kept[99]))));
}

static void jumps(void) { siglongjmp(outside, 1); }

static void aborts(void) { abort(); }

static void on_abort(int number) {
    (void)number;
    uses_the_heap();
}

static void forks(void) {
    pid_t child = fork();
    if (child == 0) {
        uses_the_heap();
        exit(0);
    }
    if (end_of(child) != 0) _exit(9);
}

// Of the program that starts here.
static void keep_some(void) {
    for (int i = 0; i < 100; i++) {
        CHECK((kept[i] = malloc(size_of(i))) != NULL, "malloc is NULL");
        fill(kept[i], size_of(i), (unsigned)i);
    }
}

static void exit_child(long nth) {
    keep_some();
    atexit(uses_the_heap);
    be_interrupted(nth, ends);
}

static void ask_child(long nth) {
    keep_some();
    be_interrupted(nth, asks);
    uses_the_heap();
    _exit(0);
}

static void fork_child(long nth) {
    keep_some();
    be_interrupted(nth, forks);
    uses_the_heap();
    use_every_size();
    exit(0);
}

static void abort_child(long nth) {
    keep_some();
    signal(SIGABRT, on_abort);
    be_interrupted(nth, aborts);
}

static void jump_child(long nth) {
    keep_some();
    if (sigsetjmp(outside, 1) == 0) be_interrupted(nth, jumps);
    else uses_the_heap(), exit(0);
}

int main(int count, char **arguments) {
    // The variable is read once.
    if (count == 1 && !getenv("HEAPWRIGHT")) {
        pid_t child = fork();
        if (child == 0) {
            setenv("HEAPWRIGHT", "check=1,stats=1", 1);
            int nowhere = open("/dev/null", O_WRONLY);
            dup2(nowhere, STDERR_FILENO);
            execl("/proc/self/exe", arguments[0], "again", NULL);
            _exit(5);
        }
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child && (status == 0 || status == SKIPPED << 8), "with check=1 and stats=1: status %#x", status);
    }
    interrupt_each("exit", exit_child, is_zero);
    interrupt_each("questions", ask_child, is_zero);
    interrupt_each("fork", fork_child, is_zero);
    interrupt_each("abort", abort_child, is_abort);
    interrupt_each("longjmp", jump_child, is_zero);
    return 0;
}
