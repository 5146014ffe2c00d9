/* Memory that runs out, everywhere in turn. */
#ifndef TESTS_FAILING_H
#define TESTS_FAILING_H

/* Do `act` again and again, its first allocation failing, then its second, ..., until it goes
 * through; with `sticky` all after the failing one fail as well. After each time, with memory there
 * again, `went_through` looks at what it did: 1, it has done its work; 0, it has failed as it should.
 * Both give back all they took. Returns how many times it failed. */
int fail_in_turn(void (*act)(void *context), int (*went_through)(void *context), void *context,
                 int sticky);

#endif
