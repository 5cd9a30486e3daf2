#ifndef OPEN_SWIFT_DATA_ALLOCATION_COUNTING_H
#define OPEN_SWIFT_DATA_ALLOCATION_COUNTING_H

#include <stdbool.h>

/* Whether objects can be counted here. */
bool allocation_counting_is_possible(void);

/* Begins to count the objects of Swift that this thread allocates: instances, closures' contexts and
   the buffers of arrays and long texts among them. One thread at a time may count. */
void allocation_counting_begin(void);

/* Ends counting and tells how many there were. */
long allocation_counting_end(void);

/* The bytes that the allocator has given out to the process, or 0 where it does not tell. */
long allocated_bytes(void);

#endif
