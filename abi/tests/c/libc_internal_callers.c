// glibc manual 3.2.3.4 "Replacing malloc": blocks that the C library allocates are the replacement's, and free() takes them
// also: glibc
#include <dirent.h>
#include <glob.h>
#include <locale.h>
#include <malloc.h>
#include <regex.h>
#include <search.h>
#include <time.h>

#include "check.h"

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void owned(const char *call, void *block, size_t least) {
    CHECK(block != NULL, "%s is NULL", call);
    CHECK(malloc_usable_size(block) >= least, "%s has %zu usable bytes, not %zu", call, malloc_usable_size(block), least);
    block = realloc(block, 5000);
    CHECK(block != NULL, "realloc of %s is NULL", call);
    free(block);
}

int main(void) {
    owned("strdup", strdup("a string"), 9);
    owned("strndup", strndup("a string", 3), 4);
    char *text = NULL;
    CHECK(asprintf(&text, "%d %s", 1, "two") == 5, "asprintf fails");
    owned("asprintf", text, 6);
    owned("getcwd", getcwd(NULL, 0), 2);
    owned("realpath", realpath("/proc/self/..", NULL), 2);

    FILE *file = fopen("/proc/self/maps", "r");
    CHECK(file != NULL, "fopen fails");
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {}
    fclose(file);
    owned("getline", line, 10);

    struct dirent **entries;
    int count = scandir("/", &entries, NULL, alphasort);
    CHECK(count > 2, "scandir(\"/\") returns %d", count);
    for (int i = 0; i < count; i++) free(entries[i]);
    owned("scandir", entries, (size_t)count * sizeof *entries);

    char *memory = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&memory, &size);
    for (int i = 0; i < 100000; i++) fprintf(stream, "%d ", i);
    fclose(stream);
    owned("open_memstream", memory, size);

    glob_t found;
    CHECK(glob("/*", 0, NULL, &found) == 0 && found.gl_pathc > 2, "glob fails");
    globfree(&found);
    regex_t expression;
    CHECK(regcomp(&expression, "^(a|b)*c+[[:digit:]]{2,9}$", REG_EXTENDED) == 0, "regcomp fails");
    CHECK(regexec(&expression, "ababcc1234", 0, NULL, 0) == 0, "regexec fails");
    regfree(&expression);
    static int numbers[300000];
    for (int i = 0; i < 300000; i++) numbers[i] = (int)(i * 7919L % 300007);
    qsort(numbers, 300000, sizeof *numbers, compare);
    void *root = NULL;
    for (int i = 0; i < 1000; i++) CHECK(tsearch(&numbers[i], &root, compare), "tsearch fails");
    for (int i = 0; i < 1000; i++) tdelete(&numbers[i], &root, compare);
    setlocale(LC_ALL, "C.UTF-8");
    setenv("HEAPWRIGHT_TEST_VARIABLE", "value", 1), unsetenv("HEAPWRIGHT_TEST_VARIABLE");
    tzset();
    return 0;
}
