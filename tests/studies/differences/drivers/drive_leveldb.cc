/* drive_leveldb.cc: fills and reads a store in memory, or writes a log to a file.
 *   program fill COUNT 1             all records in memory, in mixed order
 *   program read COUNT TIMES         reads of a compacted table
 *   program blocks COUNT TIMES       the same with small blocks
 *   program absent COUNT TIMES       the same with a filter and no cache, by keys that are not there
 *   program log COUNT FILE           COUNT records of a log */
#include "db/log_writer.h"
#include "helpers/memenv/memenv.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

static std::string key_of(unsigned number)
{
    char key[32];
    std::snprintf(key, sizeof key, "key%010u", number);
    return key;
}

/* The numbers below count in a mixed order. */
static unsigned mixed(unsigned i, unsigned count)
{
    return static_cast<unsigned>(i * 2654435761ull % count);
}

struct store {
    std::unique_ptr<leveldb::Env> env{leveldb::NewMemEnv(leveldb::Env::Default())};
    std::unique_ptr<leveldb::Cache> cache;
    std::unique_ptr<const leveldb::FilterPolicy> filter{leveldb::NewBloomFilterPolicy(10)};
    std::unique_ptr<leveldb::DB> db;

    explicit store(const std::string &mode)
    {
        const bool filtered = mode == "absent";
        cache.reset(leveldb::NewLRUCache(filtered ? 0 : 256 << 20));
        leveldb::Options options;
        options.env = env.get();
        options.create_if_missing = true;
        options.write_buffer_size = 256 << 20;
        options.max_file_size = 256 << 20;
        options.block_size = mode == "blocks" ? 512 : 16384;
        options.block_cache = cache.get();
        options.compression = leveldb::kNoCompression;
        options.filter_policy = filtered ? filter.get() : nullptr;
        leveldb::DB *opened = nullptr;
        if (!leveldb::DB::Open(options, "/store", &opened).ok())
            std::exit(2);
        db.reset(opened);
    }

    void fill(unsigned count)
    {
        const std::string value(40, 'v');
        for (unsigned i = 0; i < count; i++)
            db->Put(leveldb::WriteOptions(), key_of(2 * mixed(i, count)), value);
    }
};

static size_t read_often(store &store, unsigned count, unsigned times, unsigned offset)
{
    size_t found = 0;
    std::string value;
    for (unsigned i = 0; i < count * times; i++)
        found += store.db->Get(leveldb::ReadOptions(), key_of(2 * mixed(i, count) + offset), &value)
                     .ok();
    return found;
}

static size_t write_log(unsigned count, const char *path)
{
    leveldb::WritableFile *opened = nullptr;
    if (!leveldb::Env::Default()->NewWritableFile(path, &opened).ok())
        return 0;
    std::unique_ptr<leveldb::WritableFile> file(opened);
    leveldb::log::Writer writer(file.get());
    const std::string record(300000, 'r');
    size_t written = 0;
    for (unsigned i = 0; i < count; i++)
        written += writer.AddRecord(record).ok();
    return written;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const std::string mode = argv[1];
    const unsigned count = static_cast<unsigned>(std::atoi(argv[2]));
    size_t result = 0;
    if (mode == "log") {
        result = write_log(count, argv[3]);
    } else {
        store store(mode);
        store.fill(count);
        if (mode != "fill") {
            store.db->CompactRange(nullptr, nullptr);
            result = read_often(store, count, static_cast<unsigned>(std::atoi(argv[3])),
                                mode == "absent");
        }
    }
    std::printf("%zu\n", result);
    return 0;
}
