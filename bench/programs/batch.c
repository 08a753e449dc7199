/* A batch of objects of one size is allocated and then freed, again and again: `batch SIZE COUNT N`,
 * N being the number of objects in all. Half of each batch is freed in the order of allocation, the
 * other half in reverse. Each object is marked when allocated and the mark is read before it is freed. */
#include "common.h"

int main(int argc, char **argv) {
    size_t size = argument(argc, argv, 1, 16);
    size_t count = argument(argc, argv, 2, 100);
    uint64_t n = argument(argc, argv, 3, 40000000);
    uint64_t rounds = n / count;
    void **objects = table(count * sizeof *objects);
    if (size < sizeof(uint32_t)) broken("batch: objects must hold a mark of 4 bytes");

    uint64_t start = cpu_ns();
    for (uint64_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++) {
            objects[i] = must(malloc(size));
            *(uint32_t *)objects[i] = (uint32_t)i;
        }
        for (size_t i = 0; i < count / 2; i++) {
            if (*(uint32_t *)objects[i] != i) broken("batch: an object lost its mark");
            free(objects[i]);
        }
        for (size_t i = count; i-- > count / 2;) {
            if (*(uint32_t *)objects[i] != i) broken("batch: an object lost its mark");
            free(objects[i]);
        }
    }
    uint64_t spent = cpu_ns() - start;

    print("cpu_ns", spent);
    print("ps_per_pair", spent * 1000 / (rounds * count));
    return 0;
}
