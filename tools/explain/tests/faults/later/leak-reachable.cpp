// leak: observers are registered for each connection and never taken out (a vector of pointers that doubles);
// connections go

#include <vector>
#include <string>
#include <thread>
#include <chrono>
#include <functional>
struct Conn {
    std::string name;
    std::string buf;
};
static std::vector<std::function<void()>> observers;
int main() {
    std::vector<Conn *> open;
    for (int i = 0; i < 60000; i++) {
        auto *c = new Conn{"connection number " + std::to_string(i), std::string(300, 'b')};
        open.push_back(c);
        std::string who = c->name + " wants to be told of changes";
        int a = i, b = i * 2;
        observers.push_back([who, a, b] {
            (void)a;
            (void)b;
        });
        if (open.size() > 200) {
            delete open.front();
            open.erase(open.begin());
        }
        if (i % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::quick_exit(0);
}
