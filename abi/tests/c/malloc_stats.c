// glibc malloc_stats(3): writes to standard error, and to nothing else
// also: glibc
#include <malloc.h>

#include "check.h"

int main(void) {
    FILE *file = tmpfile(), *other = tmpfile();
    CHECK(file && other, "tmpfile fails");
    int saved_error = dup(2), saved_output = dup(1);
    CHECK(dup2(fileno(file), 2) == 2 && dup2(fileno(other), 1) == 1, "dup2 fails");
    void *block = malloc(12345);
    malloc_stats();
    fflush(stderr);
    dup2(saved_error, 2), dup2(saved_output, 1);
    free(block);
    char text[4096];
    rewind(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = 0;
    CHECK(n > 20 && strchr(text, '\n'), "malloc_stats wrote %zu bytes to standard error", n);
    CHECK(lseek(fileno(other), 0, SEEK_END) == 0, "malloc_stats wrote to standard output");
    CHECK(strpbrk(text, "123456789"), "malloc_stats gives no number: %s", text);
    return 0;
}
