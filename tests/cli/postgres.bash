# A PostgreSQL server of the test's own, on a socket in a folder. After `support`: it replaces teardown.

pg_as() { if [ "$(id -u)" -eq 0 ]; then setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; else "$@"; fi; }

# Sets PG to a folder, and URL to the address of the server.
pg_up() {
    pg_programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
    [ -n "$pg_programs" ] || skip "no postgresql"
    PG=$(mktemp -d /tmp/kgate-pg-XXXXXX)
    [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$PG"
    cd "$PG"
    pg_as "$pg_programs/initdb" -D "$PG/data" -A trust -U kgate --no-sync --locale=C.UTF-8 -E UTF8 >/dev/null
    pg_as "$pg_programs/pg_ctl" -D "$PG/data" -s -w -l "$PG/log" \
        -o "-c listen_addresses='' -c unix_socket_directories=$PG -c fsync=off" start >/dev/null 2>&1 3>&-
    cd "$BATS_TEST_TMPDIR"
    URL="postgresql:///postgres?host=$PG&user=kgate"
}

pg_down() {
    [ -n "${PG:-}" ] || return 0
    cd "$PG"
    pg_as "$pg_programs/pg_ctl" -D "$PG/data" -s -m immediate stop || true
    cd "$BATS_TEST_TMPDIR"
    rm -rf "$PG"
    PG=
}

teardown() {
    pg_down
    cp "$XDG_CACHE_HOME"/kgate/cpu-ceilings-* "$BATS_FILE_TMPDIR" 2>/dev/null || true
}

# The answers of both databases, without the database's name and measuring times.
both() {
    kgate history "$@" >sqlite.out
    kgate history "$@" --history "$URL" >postgres.out
    sed -i '/^  "database":/d; /^ *"seconds":/d' sqlite.out postgres.out
    cmp sqlite.out postgres.out
}
