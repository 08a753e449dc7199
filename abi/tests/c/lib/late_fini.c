// A library whose DT_FINI allocates after every destructor.
#include "../threads.h"

char *late_block;
int late_pipe;

void late_fini(void) {
    CHECK(late_block && first_difference(late_block, 2000, 9) == 2000, "DT_FINI's block was overwritten");
    free(late_block);
    use_every_size();
    CHECK(write(late_pipe, "Z", 1) == 1, "write fails");
}
