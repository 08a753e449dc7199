// leak: parent and child hold each other by shared_ptr; every document is lost as a whole (all of them)

#include <memory>
#include <string>
#include <vector>
#include <thread>
#include <chrono>
struct Doc;
struct Node {
    std::shared_ptr<Doc> doc;
    std::string text;
};
struct Doc {
    std::vector<std::shared_ptr<Node>> nodes;
    std::string title;
};
int main() {
    for (int i = 0; i < 4000; i++) {
        auto d = std::make_shared<Doc>();
        d->title = "title of document " + std::to_string(i);
        for (int k = 0; k < 12; k++) {
            auto n = std::make_shared<Node>();
            n->text = std::string(40 + (i * 7 + k) % 90, 'x');
            n->doc = d;
            d->nodes.push_back(n);
        }
        std::string render;
        for (auto &n : d->nodes) {
            std::string line = "<p>" + n->text + "</p>";
            render += line;
        }
        if (i % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}
