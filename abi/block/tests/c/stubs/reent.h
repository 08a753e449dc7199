// What the port of the heap uses of newlib.
#ifndef REENT_H
#define REENT_H

#include <stddef.h>

struct _reent {
    int _errno;
};

extern struct _reent reent;
#define _REENT (&reent)

void *_malloc_r(struct _reent *, size_t);
void *_calloc_r(struct _reent *, size_t, size_t);
void *_memalign_r(struct _reent *, size_t, size_t);
void *_realloc_r(struct _reent *, void *, size_t);
void _free_r(struct _reent *, void *);
size_t _malloc_usable_size_r(struct _reent *, void *);

#endif
