// ports/freertos.c: FreeRTOS' functions, figures and hook, and nothing outside a suspended scheduler
#include "../../ports/freertos.c"

int suspended, refused;

int main(void) {
    uint8_t *one = pvPortMalloc(100), *two = pvPortCalloc(10, 30), *three = pvPortMalloc(1000);
    size_t all_three = xPortGetFreeHeapSize();
    CHECK(one && two && three && aligned(one, portBYTE_ALIGNMENT) && aligned(three, portBYTE_ALIGNMENT));
    CHECK(is_all(two, 300, 0));
    CHECK(all_three < configTOTAL_HEAP_SIZE - 1400 && xPortGetMinimumEverFreeHeapSize() == all_three);
    fill(one, 100, 1);
    fill(three, 1000, 3);
    vPortFree(two);
    vPortFree(NULL);
    CHECK(is_filled(one, 100, 1) && is_filled(three, 1000, 3));

    HeapStats_t stats;
    vPortGetHeapStats(&stats);
    CHECK(stats.xNumberOfFreeBlocks >= 2 && stats.xNumberOfSuccessfulAllocations == 3 && stats.xNumberOfSuccessfulFrees == 1);
    CHECK(stats.xAvailableHeapSpaceInBytes == xPortGetFreeHeapSize() && stats.xMinimumEverFreeBytesRemaining == all_three);
    CHECK(stats.xSizeOfSmallestFreeBlockInBytes <= stats.xSizeOfLargestFreeBlockInBytes);
    CHECK(stats.xSizeOfLargestFreeBlockInBytes < stats.xAvailableHeapSpaceInBytes);

    CHECK(pvPortMalloc(configTOTAL_HEAP_SIZE) == NULL && refused == 1);
    CHECK(pvPortMalloc(0) == NULL && refused == 2);
    CHECK(pvPortCalloc(SIZE_MAX / 2, 3) == NULL);
    CHECK(xPortGetMinimumEverFreeHeapSize() == all_three);
    xPortResetHeapMinimumEverFreeHeapSize();
    CHECK(xPortGetMinimumEverFreeHeapSize() == xPortGetFreeHeapSize() && xPortGetFreeHeapSize() > all_three);

    vPortHeapResetState();
    vPortInitialiseBlocks();
    CHECK(pvPortMalloc(10 * KIB) != NULL && suspended == 0);
    return 0;
}
