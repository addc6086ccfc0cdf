// requests: threads that parse numbers, and fail at some; scopes end with their blocks, also when
// an exception leaves them.
//
//     c++ -std=c++17 requests.cpp $(pkg-config --cflags --libs kgate-profiler) -pthread -o requests
//     KGATE_PROFILE=run.kgprof ./requests 1000
#include <kgate/profiler.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static double parsed(const std::string &text)
{
    KGATE_FUNCTION();
    return std::stod(text);
}

static double answered(int request)
{
    KGATE_SCOPE("request");
    const std::string text = request % 10 ? std::to_string(request) : "no number";
    KGATE_SCOPE("sum"); // this one too lasts to the end of the block
    double sum = 0;
    for (int i = 0; i < 10; i++)
        sum += parsed(text);
    return sum;
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
    std::atomic<int> next{0}, failed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; t++)
        threads.emplace_back([&, t] {
            kgate_thread_name(("worker " + std::to_string(t)).c_str());
            for (int i = next++; i < count; i = next++) {
                try {
                    answered(i);
                } catch (const std::invalid_argument &) {
                    failed++;
                }
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    std::printf("%d requests, %d failed\n", count, failed.load());
    return 0;
}
