/* Profiles of a part of a program, under `heapwright run --armed -- CMD`:
 *
 *     heapwright_profile_start("/var/tmp/prof", 512 * 1024);
 *     …
 *     heapwright_profile_write("/var/tmp/prof/now.chunks");
 *     …
 *     heapwright_profile_stop();
 *
 * and `heapwright export /var/tmp/prof --to pprof -o out`. Nothing is linked: without a recorder a start is one test of a null pointer.
 */
#ifndef HEAPWRIGHT_PROFILE_H
#define HEAPWRIGHT_PROFILE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a profile, with one sample for each `interval` bytes and a file in `folder`: an absolute path of a folder that is there. 0, or -1:
 * no recorder waits, something is recorded already, or the file cannot be made. */
__attribute__((weak)) int heapwright_profile_start(const char *folder, size_t interval);

/* Writes a copy of the profile as it is now, which goes on, to `path`: an absolute path, whose name should end in ".chunks". 0, or -1: there
 * is no profile, or the file cannot be written. */
__attribute__((weak)) int heapwright_profile_write(const char *path);

/* Ends the profile. */
__attribute__((weak)) void heapwright_profile_stop(void);

#ifdef __cplusplus
}
#endif

#define heapwright_profile_start(folder, interval) \
    (heapwright_profile_start ? heapwright_profile_start((folder), (interval)) : -1)
#define heapwright_profile_write(path) (heapwright_profile_write ? heapwright_profile_write((path)) : -1)
#define heapwright_profile_stop() ((void)(heapwright_profile_stop ? (heapwright_profile_stop(), 0) : 0))

#endif
