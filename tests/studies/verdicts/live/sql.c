/* sql.c: a program: rows into a table of SQLite's, in memory, and sums over them. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>

extern const unsigned turns;

static const char *const table =
    "CREATE TABLE sales(id INTEGER PRIMARY KEY, shop TEXT, price REAL);"
    "CREATE INDEX by_shop ON sales(shop)";
static const char *const rows =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)"
    " INSERT INTO sales(shop, price) SELECT 'shop ' || (i * 7 % 23), i * 1.5 FROM n;"
    " SELECT count(*) FROM (SELECT shop, sum(price) FROM sales GROUP BY shop);"
    " DELETE FROM sales";

int main(void)
{
    sqlite3 *database;
    bool good = sqlite3_open(":memory:", &database) == SQLITE_OK &&
                sqlite3_exec(database, table, NULL, NULL, NULL) == SQLITE_OK;
    for (unsigned turn = 0; good && turn < turns; turn++)
        good = sqlite3_exec(database, rows, NULL, NULL, NULL) == SQLITE_OK;
    if (!good)
        fprintf(stderr, "sql: %s\n", sqlite3_errmsg(database));
    sqlite3_close(database);
    return good ? 0 : 1;
}
