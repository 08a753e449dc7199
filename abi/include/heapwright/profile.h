/* Profiles of a part of a program, under `heapwright run --armed -- CMD`:
 *
 *     heapwright_profile_start("/var/tmp/prof", 512 * 1024);
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

/* Ends the profile. */
__attribute__((weak)) void heapwright_profile_stop(void);

#ifdef __cplusplus
}
#endif

#define heapwright_profile_start(folder, interval) \
    (heapwright_profile_start ? heapwright_profile_start((folder), (interval)) : -1)
#define heapwright_profile_stop() ((void)(heapwright_profile_stop ? (heapwright_profile_stop(), 0) : 0))

#endif
