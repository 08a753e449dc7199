// Of a C library's string.h what the ports use; the functions are the library's own.
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memset(void *to, int byte, size_t count);

#endif
