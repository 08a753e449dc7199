// survival: a program that has all system calls handed to it but the C library's (PR_SET_SYSCALL_USER_DISPATCH) gets none of malloc's
// also: glibc
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>

#include "threads.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static volatile char handed;

static void told(int signal) {
    (void)signal;
    handed = 0;
    static const char text[] = "a system call of malloc's is handed to the program\n";
    _exit(write(1, text, sizeof text - 1) < 0 ? 2 : 1);
}

// The C library's instructions: where `write` lies.
static unsigned long from, to;

static int find(struct dl_phdr_info *object, size_t size, void *name) {
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        unsigned long start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && part->p_flags & PF_X && (unsigned long)name - start < part->p_memsz) from = start, to = start + part->p_memsz;
    }
    return 0;
}

int main(void) {
    signal(SIGSYS, told);
    dl_iterate_phdr(find, dlsym(RTLD_DEFAULT, "write"));
    CHECK(from < to, "the C library's instructions are not found");
    if (prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, from, to - from, &handed)) SKIP("this machine hands no system calls out");
    handed = 1;
    use_every_size();
    for (size_t size = 1; size <= 80 * MIB; size *= 3) {
        char *block = malloc(size);
        CHECK(block != NULL, "malloc(%zu) is NULL", size);
        memset(hide(block), 1, size);
        errno = 4242;
        block = realloc(block, size * 2);
        CHECK(block != NULL, "realloc(%zu) is NULL", size * 2);
        free(block);
        CHECK(errno == 4242, "errno is %d", errno);
    }
    CHECK(malloc(hide_size((size_t)1 << 47)) == NULL && errno == ENOMEM, "a huge block is not refused: errno %d", errno);
    malloc_trim(0);
    handed = 0;
    return 0;
}
