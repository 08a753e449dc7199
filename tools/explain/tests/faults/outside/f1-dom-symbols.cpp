// fragmentation: After the peak of 115 MB, about 40,000 small long-lived blocks lie scattered on nearly all
// pages of the heap, with freed blocks around: fragmentation; keep them apart from the nodes (a pool),
// malloc_trim gives back only a sixth.

// A document service: it parses documents to trees, and interns names of elements and attributes it has not seen (they stay).
// FAULT (fragmentation by lifetimes): one big import parses 40 documents at once; when their trees are gone, the symbols that were made
// among their nodes hold the pages. Afterwards it only parses one small document after the other.
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

struct Node { const std::string* name; std::string text; std::vector<std::unique_ptr<Node>> children; };
static std::unordered_set<std::string> symbols;
static std::mt19937 g(3);

static std::unique_ptr<Node> parse(int nodes, int unknown) {
    std::vector<Node*> open;
    auto root = std::make_unique<Node>();
    open.push_back(root.get());
    root->name = &*symbols.insert("document").first;
    for (int i = 0; i < nodes; i++) {
        auto n = std::make_unique<Node>();
        bool fresh = (int)(g() % 1000) < unknown;
        n->name = &*symbols.insert(fresh ? "ns" + std::to_string(g()) + ":an-attribute-name" : "element-" + std::to_string(g() % 50)).first;
        n->text = std::string(g() % 120, 'x');
        Node* at = n.get();
        open.back()->children.push_back(std::move(n));
        if (g() % 3 == 0 && open.size() < 12) open.push_back(at);
        else if (open.size() > 1 && g() % 4 == 0) open.pop_back();
    }
    return root;
}

int main() {
    for (int i = 0; i < 200; i++) parse(300, 1);
    {
        std::vector<std::unique_ptr<Node>> import;
        for (int i = 0; i < 40; i++) import.push_back(parse(17000, 60));
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    for (int i = 0; i < 1500; i++) { parse(500, 1); std::this_thread::sleep_for(std::chrono::milliseconds(2)); }
    fprintf(stderr, "%zu symbols\n", symbols.size());
    return 0;
}
