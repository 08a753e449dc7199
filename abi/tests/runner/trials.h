// How much of what is random the programs of abi and abi/kernel try.
#ifndef TRIALS_H
#define TRIALS_H

#include <stdlib.h>

// Of `all` trials at random, or of the seconds that they take, as many as the runner wants: a part of them where not everything is
// tried.
static inline double trials(double all) {
    const char *share = getenv("TRIALS");
    return share ? all * strtod(share, NULL) : all;
}

#endif
