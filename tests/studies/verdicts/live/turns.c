/* turns.c: the constants in which the builds differ. `revision` is another one in each: also the
 * build of the same speed is another file than the base, as after a change that costs nothing. */
extern const unsigned turns;
extern const char revision[];
const unsigned turns = TURNS;
const char revision[] = REVISION;
