// C++17 [replacement.functions]: a program linked to libheapwright.a may replace operator new[] and delete[]
// link: archive
// flags: -Wl,--allow-multiple-definition
#include "new_replaced_array.cc"
