// misuse: a block of 70000 bytes freed by one thread, which keeps it, and then by another: found at once
// expect: ^heapwright: .*{ptr}
enum { SIZE = 70000 };
#include "free_twice_kept.h"
