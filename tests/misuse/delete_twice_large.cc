// misuse: a large array deleted twice: found at once
// expect: ^heapwright: operator delete\b.*{ptr}
#include "misuse.h"

int main() {
    char *other = new char[500000], *block = new char[500000], *third = new char[500000];
    hide(other), hide(third);
    char *pointer = static_cast<char *>(shown(block));
    delete[] pointer;
    delete[] static_cast<char *>(hide(pointer));
    return 0;
}
