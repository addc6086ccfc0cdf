/* turns.c: the one constant in which the builds differ. */
extern const unsigned turns;
const unsigned turns = TURNS;
