// The machine under a program, where there is a C++ library.
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

extern "C" void test_say(const char *line) { puts(line); }

extern "C" void test_end(int status) {
    fflush(stdout);
    exit(status);
}
