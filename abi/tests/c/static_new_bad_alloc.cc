// C++17 [new.delete.single]: the failing new of a static program throws std::bad_alloc too
// link: static
#include "new_bad_alloc.cc"
