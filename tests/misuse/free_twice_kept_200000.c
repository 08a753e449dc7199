// misuse: a block of 200000 bytes freed by one thread, which keeps it, and then by another: found at once
// expect: ^heapwright: .*{ptr}
enum { SIZE = 200000 };
#include "free_twice_kept.h"
