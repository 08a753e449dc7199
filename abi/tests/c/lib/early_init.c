// A library whose DT_INIT allocates before the constructors of the libraries loaded before it.
#include "../threads.h"

char *early_block;
int early_calls;

void early_init(void) {
    early_calls++;
    use_every_size();
    early_block = malloc(5000);
    fill(early_block, 5000, 3);
}
