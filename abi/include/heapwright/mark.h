/* Marks in a recording: heapwright_mark("request") says where the program is.
 *
 * Nothing is linked: under `heapwright record` the recorder has the function, else a mark is one test of a null pointer.
 */
#ifndef HEAPWRIGHT_MARK_H
#define HEAPWRIGHT_MARK_H

#ifdef __cplusplus
extern "C" {
#endif

/* The recorder's, where there is one. `name` is copied; its first 448 bytes are kept. */
__attribute__((weak)) void heapwright_mark(const char *name);

#ifdef __cplusplus
}
#endif

/* A mark where a recorder is, and nothing where there is none. */
#define heapwright_mark(name) ((void)(heapwright_mark ? (heapwright_mark(name), 0) : 0))

#endif
