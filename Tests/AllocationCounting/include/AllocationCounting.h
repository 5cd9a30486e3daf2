#ifndef OPEN_SWIFT_DATA_ALLOCATION_COUNTING_H
#define OPEN_SWIFT_DATA_ALLOCATION_COUNTING_H

#include <stdbool.h>

/* Whether objects can be counted here. */
bool allocation_counting_is_possible(void);

/* Begins to count what this thread allocates: objects of Swift, closures' contexts, the buffers of arrays
   and long texts, and what the C libraries allocate. Each thread counts for itself. */
void allocation_counting_begin(void);

/* Ends counting and tells how many there were. */
long allocation_counting_end(void);

/* The bytes that the allocator has given out to the process, or 0 where it does not tell. */
long allocated_bytes(void);

/* Ends what the test runner does for each error that is thrown: it keeps a backtrace by the error's
   address, whose bytes would be counted with those of the code under test. */
void thrown_errors_are_not_recorded(void);

#endif
