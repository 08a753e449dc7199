// C23 7.24.3.2: calloc whose product nmemb * size wraps around is NULL with ENOMEM
// also: glibc
#include "check.h"

int main(void) {
    const size_t half = (size_t)1 << (sizeof(size_t) * 4);
    const size_t pairs[][2] = {{SIZE_MAX, 2},      {2, SIZE_MAX},         {half, half},          {half + 1, half},
                               {SIZE_MAX / 2, 3},  {SIZE_MAX / 16 + 1, 16}, {16, SIZE_MAX / 16 + 2}, {SIZE_MAX, SIZE_MAX},
                               {3, SIZE_MAX / 3 + 1}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        errno = 0;
        void *block = calloc(hide_size(pairs[i][0]), hide_size(pairs[i][1]));
        CHECK(block == NULL, "calloc(%zu, %zu) is %p, not NULL", pairs[i][0], pairs[i][1], block);
        CHECK(errno == ENOMEM, "calloc(%zu, %zu) sets errno %d, not ENOMEM", pairs[i][0], pairs[i][1], errno);
    }
    return 0;
}
