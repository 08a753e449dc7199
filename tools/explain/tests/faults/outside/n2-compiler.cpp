// none: It needs what it has, the peak is at its end. Nothing to mend.

// A compiler: for each function tokens, a tree, then instructions; the symbols and instructions of the whole program stay until it is
// linked, and the peak is then. It ends as compilers do, without freeing anything.
// NOTHING IS WRONG.
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct Tree { int op; std::unique_ptr<Tree> a, b; std::string literal; };
struct Insn { unsigned char op; int dst, src; Insn* next; };
static std::mt19937 g(13);

static std::unique_ptr<Tree> parse(int depth) {
    auto t = std::make_unique<Tree>();
    t->op = g() % 40;
    if (g() % 6 == 0) t->literal = "a literal of the program, number " + std::to_string(g());
    if (depth) { t->a = parse(depth - 1); if (g() % 5) t->b = parse(depth - 1); }
    return t;
}
static Insn* lower(const Tree* t, Insn* next) {
    if (!t) return next;
    for (int i = 0; i < 2; i++) next = new Insn{(unsigned char)t->op, (int)(g() % 16), (int)(g() % 16), next};
    return lower(t->a.get(), lower(t->b.get(), next));
}

int main() {
    std::unordered_map<std::string, Insn*>& program = *new std::unordered_map<std::string, Insn*>;
    for (int f = 0; f < 1400; f++) {
        std::vector<std::string> tokens;
        for (int i = 0; i < 3000; i++) tokens.push_back("token" + std::to_string(g() % 5000) + "_of_the_source");
        auto tree = parse(10);
        program["_ZN7program8function" + std::to_string(f) + "Ev"] = lower(tree.get(), nullptr);
        if (f % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    // Link: addresses for all, one output buffer.
    size_t n = 0;
    for (auto& p : program) for (Insn* i = p.second; i; i = i->next) n++;
    std::vector<char> out(n * 6);
    size_t at = 0;
    for (auto& p : program) for (Insn* i = p.second; i; i = i->next) { out[at++] = i->op; out[at++] = i->dst; out[at++] = i->src; }
    fprintf(stderr, "%zu instructions\n", n);
    _Exit(0);
}
