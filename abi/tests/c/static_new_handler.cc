// C++17 [new.handler]: the failing new of a static program calls the new-handler too
// link: static
//
// A nothrow new whose new-handler throws is left out: what catches is the C++ library's own nothrow new,
// which a static program does not contain, so such a program ends (std::terminate).
#define NOTHROW_CANNOT_CATCH
#include "new_handler.cc"
