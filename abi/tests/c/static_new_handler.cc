// C++17 [new.handler]: the failing new of a static program calls the new-handler too
// link: static
#include "new_handler.cc"
