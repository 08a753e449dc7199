// The same through a template that is inlined: its caller is two lines below.
#include "maps.h"
namespace cache {
__attribute__((noinline)) void *here() { return __builtin_return_address(0); }
struct Table { template<class T> __attribute__((always_inline)) void insert(T) { printf("%p %d\n", here(), __LINE__); } };
__attribute__((noinline)) void serve() {
    Table().insert(7);
}
}
int main() { cache::serve(); maps(); }
