// Complains of a variable.
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void read_variable(void) {
    if (getenv("M_BAD") && write(2, "M_BAD is unknown\n", 17) != 17) _exit(9);
}
