// C++17 [new.delete.single]: the failing new of a program linked to libheapwright.a throws std::bad_alloc
// link: archive
#include "new_bad_alloc.cc"
