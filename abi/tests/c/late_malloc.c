// survival: malloc and free in atexit handlers, in destructors of every priority, and in DT_FINI after the last destructor
// also: glibc
// library: late_fini.c -Wl,-fini,late_fini
#include "threads.h"

extern char *late_block;
extern int late_pipe;
int __cxa_atexit(void (*)(void *), void *, void *);

enum { HANDLERS = 6 };

static char *blocks[HANDLERS];

// Frees a block of main's, allocates a new one, and tells the parent.
static void late(int which) {
    CHECK(first_difference(blocks[which], 2000, (unsigned)which) == 2000, "block %d was overwritten at exit", which);
    free(blocks[which]);
    use_every_size();
    blocks[which] = calloc(1, 100000);
    CHECK(blocks[which] != NULL, "calloc at exit is NULL");
    char sign = (char)('a' + which);
    CHECK(write(late_pipe, &sign, 1) == 1, "write fails");
}

static void at_exit(void) { late(0); }
static void on_exit_handler(int status, void *argument) { (void)status, (void)argument, late(1); }
static void cxa_handler(void *argument) { (void)argument, late(2); }
__attribute__((destructor(101))) static void destructor_last(void) { late(3); }
__attribute__((destructor(65535))) static void destructor_first(void) { late(4); }
__attribute__((destructor)) static void destructor_plain(void) { late(5); }

int main(void) {
    int ends[2];
    CHECK(pipe(ends) == 0, "pipe fails");
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        late_pipe = ends[1];
        for (int i = 0; i < HANDLERS; i++) blocks[i] = malloc(2000), fill(blocks[i], 2000, (unsigned)i);
        late_block = malloc(2000), fill(late_block, 2000, 9);
        atexit(at_exit), on_exit(on_exit_handler, NULL), __cxa_atexit(cxa_handler, NULL, NULL);
        pthread_t threads[2];
        start_churning(threads, 2);
        exit(0);
    }
    close(ends[1]);
    char seen[16] = {0};
    ssize_t total = 0, n;
    while (total < 15 && (n = read(ends[0], seen + total, 15 - (size_t)total)) > 0) total += n;
    int status = end_of(child);
    CHECK(status == 0, "the child that allocates at exit ends with status %#x", status);
    for (int i = 0; i < HANDLERS; i++) CHECK(strchr(seen, 'a' + i), "handler %d did not run: %s", i, seen);
    CHECK(seen[total - 1] == 'Z', "DT_FINI was not the last: %s", seen);
    // The handlers of this process find a block each, too.
    late_pipe = open("/dev/null", O_WRONLY);
    for (int i = 0; i < HANDLERS; i++) blocks[i] = malloc(2000), fill(blocks[i], 2000, (unsigned)i);
    late_block = malloc(2000), fill(late_block, 2000, 9);
    return 0;
}
