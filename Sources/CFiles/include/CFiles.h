#ifndef OPEN_SWIFT_DATA_CFILES_H
#define OPEN_SWIFT_DATA_CFILES_H

#include <stdint.h>

/* Which file a name leads to, and how large it is. */
struct cfiles_extent {
  uint64_t device;
  uint64_t inode;
  int64_t size;
  /* Whether the name is where something is mounted: a file that is mounted by itself has another
     name elsewhere. Known on Linux 5.8 and later. */
  int is_mounted;
};

/* Asks for that alone, without following a link; -1 and errno where it fails.

   Linux notes whether anybody has asked for a file's times. If so, the next write gives it a time of
   its own, which a sync then brings to the medium together with what was written. Swift's module of
   the C library has no call that leaves the times out. */
int cfiles_extent_of(int folder, const char *name, struct cfiles_extent *extent);

/* Kinds of locks on a range of a file. */
enum { CFILES_UNLOCKED, CFILES_SHARED, CFILES_EXCLUSIVE };

/* Takes, changes or releases a lock on a range without waiting. The lock belongs to the open file
   description, so that closing another descriptor of the file does not release it. Returns 0, or -1
   and errno: EAGAIN or EACCES where somebody else has a conflicting lock, ENOTSUP where the system
   has no such locks. Swift's module of the C library lacks the commands. */
int cfiles_lock_range(int descriptor, int kind, int64_t start, int64_t length);

/* The process that has a lock on a range as processes have them, 0 if there is none or the lock
   belongs to an open file description; -1 and errno where the call fails. */
int cfiles_range_owner(int descriptor, int64_t start, int64_t length);

#endif
