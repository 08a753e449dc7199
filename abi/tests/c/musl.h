// What the library has and musl's headers do not name; weak, because musl itself, which programs are linked to, has none of it.
#ifndef MUSL_H
#define MUSL_H

#include <stddef.h>
#include <stdio.h>

struct mallinfo {
    int arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};

struct mallinfo2 {
    size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost;
};

#define M_MXFAST 1
#define M_TRIM_THRESHOLD -1
#define M_TOP_PAD -2
#define M_MMAP_THRESHOLD -3
#define M_MMAP_MAX -4
#define M_CHECK_ACTION -5
#define M_PERTURB -6
#define M_ARENA_TEST -7
#define M_ARENA_MAX -8

__attribute__((weak)) struct mallinfo mallinfo(void);
__attribute__((weak)) struct mallinfo2 mallinfo2(void);
__attribute__((weak)) int mallopt(int, int);
__attribute__((weak)) int malloc_trim(size_t);
__attribute__((weak)) void malloc_stats(void);
__attribute__((weak)) int malloc_info(int, FILE *);
__attribute__((weak)) void *valloc(size_t);
__attribute__((weak)) void *pvalloc(size_t);
__attribute__((weak)) void cfree(void *);

#endif
