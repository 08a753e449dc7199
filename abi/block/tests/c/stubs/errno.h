// Of a C library's errno.h what the port for newlib uses.
#define ENOMEM 12
