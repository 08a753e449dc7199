// Eight huge pages, of which the first quarter each is written.
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE (2ul << 20)

int main(void) {
    int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    char *at = mmap(0, 9 * HUGE_PAGE, protection, flags, -1, 0);
    at = (char *)(((uintptr_t)at + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
    if (madvise(at, 8 * HUGE_PAGE, MADV_HUGEPAGE) != 0) return 0;
    for (int n = 0; n < 8; n++) memset(at + n * HUGE_PAGE, 1, HUGE_PAGE / 4);
    return 0;
}
