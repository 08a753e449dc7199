/* A free that never returns, once the ninth block is freed. */
#include <stddef.h>
#include <unistd.h>

void __libc_free(void *block);

void free(void *block)
{
    static int freed;
    if (block && __atomic_add_fetch(&freed, 1, __ATOMIC_RELAXED) > 2000)
        for (;;)
            pause();
    __libc_free(block);
}
