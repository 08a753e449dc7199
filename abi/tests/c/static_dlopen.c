// survival: in a static program dlopen is the C library's, with its words for what is missing
// link: static
#include <dlfcn.h>

#include "check.h"

int main(void) {
    CHECK(dlopen("/no/such.so", RTLD_NOW | RTLD_DEEPBIND) == NULL, "there is no such library");
    const char *said = dlerror();
    CHECK(said && strcmp(said, "/no/such.so: cannot open shared object file: No such file or directory") == 0, "dlerror says %s", said);
    CHECK(dlopen("libm.so.6", 0x4000) == NULL && strstr(dlerror(), "invalid mode"), "a mode that there is not");
    void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_DEEPBIND);
    if (!library) SKIP("the C library opens nothing in a static program: %s", dlerror());
    double (*cosine)(double) = (double (*)(double))dlsym(library, "cos");
    CHECK(cosine && cosine(0) == 1, "cos(0) is not 1");
    return 0;
}
