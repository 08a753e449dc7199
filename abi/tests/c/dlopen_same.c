// glibc: dlopen gives the same handles and dlerror the same words as the C library's own function, called directly
// also: glibc
#include <dlfcn.h>

#include "check.h"

typedef void *opener(const char *, int);

// What dlopen and dlerror answer.
struct answer {
    void *handle;
    char said[200];
};

static struct answer ask(opener *open, const char *name, int mode) {
    struct answer answer = {.said = ""};
    dlerror();
    answer.handle = open(name, mode);
    const char *said = dlerror();
    if (said) snprintf(answer.said, sizeof answer.said, "%s", said);
    CHECK((answer.handle == NULL) == (said != NULL), "a handle and an error, or neither");
    return answer;
}

int main(void) {
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    CHECK(libc != NULL, "dlopen(libc.so.6): %s", dlerror());
    opener *real = (opener *)dlsym(libc, "dlopen");
    CHECK(real != NULL, "dlsym(dlopen): %s", dlerror());
    const char *names[] = {NULL, "", "libc.so.6", "libm.so.6", "libno_such.so", "/no/such.so", "/etc/passwd", "/"};
    const int modes[] = {0, RTLD_LAZY, RTLD_NOW, RTLD_NOW | RTLD_GLOBAL, RTLD_LAZY | RTLD_NOLOAD, RTLD_NOW | RTLD_NODELETE, 0x4000};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (size_t j = 0; j < sizeof modes / sizeof *modes; j++) {
            const char *name = names[i] ? names[i] : "NULL";
            struct answer theirs = ask(real, names[i], modes[j]);
            for (int more = 0; more <= RTLD_DEEPBIND; more += RTLD_DEEPBIND) {
                struct answer ours = ask(dlopen, names[i], modes[j] | more);
                CHECK(ours.handle == theirs.handle, "%s, %#x: %p, not %p", name, modes[j] | more, ours.handle, theirs.handle);
                CHECK(strcmp(ours.said, theirs.said) == 0, "%s, %#x: \"%s\", not \"%s\"", name, modes[j] | more, ours.said, theirs.said);
            }
        }
    }
    CHECK(dlopen(NULL, RTLD_NOW | RTLD_DEEPBIND) == dlopen(NULL, RTLD_NOW), "the program itself has two handles");
    return 0;
}
