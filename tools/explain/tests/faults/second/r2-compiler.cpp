// retention: the tree (~200 MB) is freed after 1 s, glibc keeps all for 18 s; whole pages free; malloc_trim mends it

// A compiler: parse (a tree of small nodes, 200 MB), lower (the tree is freed, a small symbol table was made at its
// end), then 17 s of code generation on little memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <unistd.h>
#include <memory>
#include <vector>
#include <map>
#include <string>
#include <thread>
#include <chrono>
struct Node {
    int op;
    std::string text;
    std::vector<std::unique_ptr<Node>> kids;
};
static size_t count;
static std::unique_ptr<Node> parse(int depth, unsigned &s) {
    auto n = std::make_unique<Node>();
    count++;
    n->op = s % 17;
    n->text = "identifier_number_" + std::to_string(s);
    if (depth > 0) {
        n->kids.reserve(4);
        for (int i = 0; i < 4; i++) {
            s = s * 1103515245 + 12345;
            n->kids.push_back(parse(depth - 1, s));
        }
    }
    return n;
}
static long walk(const Node &n) {
    long x = n.op + n.text.size();
    for (auto &k : n.kids) x += walk(*k);
    return x;
}
int main() {
    unsigned s = 1;
    long x = 0;
    std::map<std::string, int> symbols;
    {
        std::vector<std::unique_ptr<Node>> units;
        for (int u = 0; u < 14; u++) {
            units.push_back(parse(8, s));
            x += walk(*units.back());
            std::this_thread::sleep_for(std::chrono::milliseconds(60));
        }
        for (int i = 0; i < 2000; i++) symbols["symbol_of_the_unit_" + std::to_string(i)] = i;
    }
    for (int f = 0; f < 1700; f++) {
        std::vector<std::string> code;
        for (int i = 0; i < 300; i++) code.push_back("mov rax, [rbp - " + std::to_string(i * f) + "]  ; spill slot");
        for (auto &c : code) x += c.size() + symbols.begin()->second;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    printf("%zu %ld\n", count, x);
}
