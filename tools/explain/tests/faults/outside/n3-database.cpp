// none: It loads and then holds its data, 120 of 128 MB in use. Nothing to mend.

// A database in memory: it loads its tables (two thirds of the run, in pieces, with pauses), then two threads serve: reads, and updates that
// replace a row's value by one of another length.
// NOTHING IS WRONG: it holds the data that it was told to hold.
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

struct Row { unsigned long id; std::string name, value; };

int main() {
    std::vector<Row*> rows;
    std::mutex m;
    std::mt19937 g(14);
    for (int piece = 0; piece < 130; piece++) {
        std::string text(300000, 'x');                          // the piece of the dump that was read
        for (int i = 0; i < 3500; i++) {
            auto r = new Row{(unsigned long)rows.size(), "row-" + std::to_string(g()), text.substr(0, 60 + g() % 240)};
            rows.push_back(r);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    std::atomic<long> answers{0};
    auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2300);
    auto serve = [&](int w) {
        std::mt19937 h(w);
        while (std::chrono::steady_clock::now() < end) {
            for (int i = 0; i < 100; i++) {
                std::lock_guard<std::mutex> l(m);
                Row* r = rows[h() % rows.size()];
                if (h() % 5 == 0) r->value = std::string(60 + h() % 240, 'u');
                std::string answer = r->name + "=" + r->value;
                answers += answer.size() > 0;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    };
    std::thread a(serve, 1), b(serve, 2);
    a.join();
    b.join();
    fprintf(stderr, "%ld answers\n", answers.load());
    for (Row* r : rows) delete r;
    return 0;
}
