// Says which library its malloc is of.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
    Dl_info info;
    return !dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info) || puts(info.dli_fname) < 0;
}
