#ifndef OPEN_SWIFT_DATA_CFILES_H
#define OPEN_SWIFT_DATA_CFILES_H

#include <stdint.h>

/* Which file a name leads to, and how large it is. */
struct cfiles_extent {
  uint64_t device;
  uint64_t inode;
  int64_t size;
};

/* Asks for that alone, without following a link; -1 and errno where it fails.

   Linux notes whether anybody has asked for a file's times. If so, the next write gives it a time of
   its own, which a sync then brings to the medium together with what was written. Swift's module of
   the C library has no call that leaves the times out. */
int cfiles_extent_of(int folder, const char *name, struct cfiles_extent *extent);

#endif
