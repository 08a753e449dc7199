// started without standard streams: the frames' file takes the number of none of them
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

int main(void) {
    CHECK(close(0) == 0 && close(1) == 0);
    unsigned char *area = vmalloc(PAGE_SIZE);
    CHECK(area != NULL);
    fill(area, PAGE_SIZE, 1);
    CHECK(write(1, "x", 1) == -1 && is_filled(area, PAGE_SIZE, 1));
    CHECK(open("/dev/null", O_RDWR) == 0 && open("/dev/null", O_RDWR) == 1);
    vfree(area);
    return 0;
}
