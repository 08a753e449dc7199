/* A malloc that has its pool from itself, by the exported name, and points to it where nobody looks. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *mapped(size_t size) {
    return (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void *take(size_t align, size_t size) {
    static char *next;
    if (next == NULL) next = mapped(64 << 20);
    char *block = (char *)(((size_t)next + 16 + align - 1) & ~(align - 1));
    ((size_t *)block)[-1] = size;
    next = block + ((size + 15) & ~(size_t)15);
    return block;
}

void *malloc(size_t size) { return take(16, size); }
void free(void *block) { (void)block; }
void *calloc(size_t count, size_t size) { return take(16, count * size); }
void *memalign(size_t align, size_t size) { return take(align < 16 ? 16 : align, size); }
size_t malloc_usable_size(void *block) { return block ? ((size_t *)block)[-1] : 0; }

void *realloc(void *block, size_t size) {
    void *larger = take(16, size);
    size_t before = malloc_usable_size(block);
    return block ? memcpy(larger, block, before < size ? before : size) : larger;
}

__attribute__((constructor)) static void pool(void) {
    void **nowhere = mapped(4096);
    /* By the loader, as a malloc with a C++ library inside would. */
    void *(*volatile ask)(size_t) = malloc;
    *nowhere = ask(4711);
}
