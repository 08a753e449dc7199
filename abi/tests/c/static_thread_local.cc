// C++17 [basic.stc.thread]: thread_local objects of a static program allocate in their destructors too
// link: static
#include "thread_local.cc"
