/* history_tables.c: the tables of a history. Numbers of rows are small integers, so that a point takes about 50
 * bytes. */
#include <string.h>

#include "base/text.h"
#include "judge/history/history_database.h"

enum { TABLES_VERSION = 2 };

/* @identity, @text, @keyed, @view and @time are words of the database (struct kg_history_driver). An unknown text is
 * ''. */
static const char *const statements[] = {
    /* Numbers of the whole history: version of the tables, count of points. */
    "CREATE TABLE IF NOT EXISTS fact (name @text PRIMARY KEY, value BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS machine (id INTEGER@identity PRIMARY KEY, class @text NOT NULL, "
    "host @text NOT NULL, gpus @text NOT NULL, seen @text NOT NULL, UNIQUE (class, host))",
    /* A machine from one update of its kernel, microcode, driver or clock limit to the next. */
    "CREATE TABLE IF NOT EXISTS epoch (id INTEGER@identity PRIMARY KEY, machine INTEGER NOT NULL, "
    "hash @text NOT NULL, facts @text NOT NULL, UNIQUE (machine, hash))",
    /* depth: number of first parents up to the root. Dates do not order commits, depths on one branch do. */
    "CREATE TABLE IF NOT EXISTS commit_ (id INTEGER@identity PRIMARY KEY, sha @text NOT NULL "
    "UNIQUE, parent @text NOT NULL, branch @text NOT NULL, depth INTEGER)",
    /* distance: of the host from its past (suspect_node.h). excess, deviation: the host is suspect. control: the
     * control run of its night, or NULL. points: 0 after `prune`. */
    "CREATE TABLE IF NOT EXISTS run (id INTEGER@identity PRIMARY KEY, hash @text NOT NULL UNIQUE, "
    "suite @text NOT NULL, machine INTEGER NOT NULL, epoch INTEGER NOT NULL, commit_ INTEGER, "
    "dirty INTEGER NOT NULL, complete INTEGER NOT NULL, kind @text NOT NULL, "
    "started @text NOT NULL, boot @text NOT NULL, version @text NOT NULL, file @text NOT NULL, "
    "points INTEGER NOT NULL, distance DOUBLE PRECISION, excess DOUBLE PRECISION, "
    "deviation DOUBLE PRECISION, control INTEGER)",
    "CREATE INDEX IF NOT EXISTS run_order ON run (suite, machine, started, hash)",
    /* control: 1 for a kept build, whose points are no states of the branch. */
    "CREATE TABLE IF NOT EXISTS series (id INTEGER@identity PRIMARY KEY, case_ @text NOT NULL, "
    "suite @text NOT NULL, machine INTEGER NOT NULL, definition @text NOT NULL, "
    "metric @text NOT NULL, source @text NOT NULL, unit @text NOT NULL, control INTEGER NOT NULL, "
    "UNIQUE (case_, suite, machine, definition, metric, source, control))",
    "CREATE INDEX IF NOT EXISTS series_machine ON series (machine, suite)",
    /* By run first: a new run then writes neighbouring rows, not one page per case. */
    "CREATE TABLE IF NOT EXISTS point (run INTEGER NOT NULL, series INTEGER NOT NULL, "
    "value DOUBLE PRECISION NOT NULL, error DOUBLE PRECISION, deviation DOUBLE PRECISION, "
    "code BIGINT, rounds INTEGER NOT NULL, flags INTEGER NOT NULL, PRIMARY KEY (run, series))"
    "@keyed",
    /* state: the change detector and the variances as digits (level_text.c). run: the newest run in it. crept: the run
     * that showed the last creep, or 0. pruned: 1 if points in the state are gone. */
    "CREATE TABLE IF NOT EXISTS level (series INTEGER PRIMARY KEY, run INTEGER NOT NULL, "
    "crept INTEGER NOT NULL, state @text NOT NULL, pruned INTEGER DEFAULT 0 NOT NULL)",
    /* seconds: of paired rounds, for all attempts. */
    "CREATE TABLE IF NOT EXISTS change (id INTEGER@identity PRIMARY KEY, series INTEGER NOT NULL, "
    "run_before INTEGER NOT NULL, run_after INTEGER NOT NULL, found_run INTEGER NOT NULL, "
    "ratio DOUBLE PRECISION NOT NULL, low DOUBLE PRECISION, high DOUBLE PRECISION, "
    "cause @text NOT NULL, state @text NOT NULL, proof @text NOT NULL, culprit @text NOT NULL, "
    "kind @text DEFAULT 'step' NOT NULL, seconds DOUBLE PRECISION)",
    /* Files with the measured code. hash: SHA-256 of the bytes, by which a store may keep the file. commit_ is 0 if
     * unknown, like code. libraries: "NAME HASH" per line. */
    "CREATE TABLE IF NOT EXISTS build (suite @text NOT NULL, code BIGINT NOT NULL, commit_ INTEGER "
    "NOT NULL, hash @text NOT NULL, scope @text NOT NULL, libraries @text NOT NULL, "
    "PRIMARY KEY (suite, code, commit_, hash))@keyed",
    /* Views for dashboards: names instead of numbers. r is the run that gives the time. */
    "CREATE @view trend AS SELECT @time AS time, r.suite, s.case_, s.metric, s.unit, m.class AS "
    "machine, m.host, r.kind, p.value, p.error, c.sha AS commit_, c.branch FROM point AS p JOIN "
    "run AS r ON r.id = p.run JOIN series AS s ON s.id = p.series JOIN machine AS m ON m.id = "
    "s.machine LEFT JOIN commit_ AS c ON c.id = r.commit_",
    "CREATE @view changes AS SELECT @time AS time, s.suite, s.case_, s.metric, m.class AS machine, "
    "m.host, h.kind, h.ratio, h.low, h.high, h.cause, h.state, cb.sha AS commit_before, ca.sha AS "
    "commit_after, h.culprit, h.proof FROM change AS h JOIN series AS s ON s.id = h.series JOIN "
    "machine AS m ON m.id = s.machine JOIN run AS r ON r.id = h.found_run LEFT JOIN run AS b ON "
    "b.id = h.run_before LEFT JOIN run AS a ON a.id = h.run_after LEFT JOIN commit_ AS cb ON cb.id "
    "= b.commit_ LEFT JOIN commit_ AS ca ON ca.id = a.commit_",
};

/* Appends the statement with the driver's words. */
static void words_replace(const struct kg_history_driver *driver, const char *from,
                          struct kg_text *sql)
{
    const struct {
        const char *word, *by;
    } words[] = {{"@identity", driver->identity},
                 {"@text", driver->text},
                 {"@keyed", driver->keyed},
                 {"@view", driver->view},
                 {"@time", driver->time}};
    while (*from) {
        const size_t plain = strcspn(from, "@");
        kg_text_append_bytes(sql, from, plain);
        from += plain;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (!strncmp(from, words[i].word, strlen(words[i].word))) {
                kg_text_append(sql, words[i].by);
                from += strlen(words[i].word);
                break;
            }
    }
}

/* version  0: the history has no tables */
static bool version_read(struct kg_history_database *database, int64_t *version,
                         struct kg_error *err)
{
    struct kg_query query = {0};
    struct kg_error unsaid;
    bool found;
    *version = 0;
    if (!kg_query_prepare(database, "SELECT value FROM fact WHERE name = 'version'", &query,
                          &unsaid))
        return true;
    const bool good = kg_query_find(&query, version, &found, err, "");
    kg_query_free(&query);
    return good;
}

static bool version_good(const struct kg_history_database *database, int64_t version,
                         struct kg_error *err)
{
    return version == TABLES_VERSION ||
           kg_error_set(err, KG_ERROR_USAGE,
                        "the history '%.300s' has tables of version %lld, and this kgate knows "
                        "version %d: `kgate history export -o all.csv` by the kgate that wrote "
                        "it, then `kgate history import all.csv` into a new history",
                        database->name, (long long)version, TABLES_VERSION);
}

bool kg_history_tables_check(struct kg_history_database *database, struct kg_error *err)
{
    int64_t version;
    if (!version_read(database, &version, err))
        return false;
    return version ? version_good(database, version, err)
                   : kg_error_set(err, KG_ERROR_USAGE,
                                  "the history '%.300s' is empty; `kgate history add "
                                  "RESULTS.json` adds runs",
                                  database->name);
}

static bool tables_create(struct kg_history_database *database, struct kg_error *err)
{
    bool good = true;
    for (size_t i = 0; good && i < sizeof statements / sizeof *statements; i++) {
        struct kg_text sql = {0};
        words_replace(database->driver, statements[i], &sql);
        good = kg_database_execute(database, kg_text_string(&sql), err);
        kg_text_free(&sql);
    }
    struct kg_query facts = {0};
    good = good &&
           kg_query_prepare(database,
                            "INSERT INTO fact (name, value) VALUES ('version', $1), ('points', 0) "
                            "ON CONFLICT (name) DO NOTHING",
                            &facts, err) &&
           kg_query_run(&facts, err, "i", (int64_t)TABLES_VERSION);
    kg_query_free(&facts);
    return good;
}

bool kg_history_tables_make(struct kg_history_database *database, struct kg_error *err)
{
    int64_t version;
    if (!version_read(database, &version, err))
        return false;
    if (version)
        return version_good(database, version, err);
    return kg_database_begin(database, err) &&
           kg_database_end(database, tables_create(database, err), err);
}
