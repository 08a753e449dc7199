// A library with RUNPATH=$ORIGIN that opens its neighbour by a name without a folder.
#include <dlfcn.h>

void *open_neighbour(const char *name, int mode) { return dlopen(name, mode); }
