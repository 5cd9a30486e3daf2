#ifndef OPEN_SWIFT_DATA_CFILES_H
#define OPEN_SWIFT_DATA_CFILES_H

#include <stdint.h>

/* The identity and the size of the file that a name refers to. */
struct cfiles_extent {
  uint64_t device;
  uint64_t inode;
  int64_t size;
  /* The time of the last modification in nanoseconds since 1970, or 0 if it is not wanted. */
  int64_t modified;
  /* Whether the name is a mount point: a mounted file has another name elsewhere. Known on Linux
     5.8 and later. */
  int is_mounted;
};

/* Gets the extent of a name only, without following a link, and the time if it is wanted. Returns 0,
   or -1 and errno.

   Linux records whether a process has read a file's times. If so, the next write sets a new time,
   which a sync then writes to disk together with the data. Swift's module of the C library has no
   call that leaves out the times. */
int cfiles_extent_of(int folder, const char *name, int wants_time, struct cfiles_extent *extent);

/* Kinds of locks on a range of a file. */
enum { CFILES_UNLOCKED, CFILES_SHARED, CFILES_EXCLUSIVE };

/* Takes, changes or releases a lock on a range without waiting. The lock belongs to the open file
   description, so closing another descriptor of the file does not release it. Returns 0, or -1 and
   errno: EAGAIN or EACCES if there is a conflicting lock, ENOTSUP if the system does not support
   such locks. Swift's module of the C library lacks the commands. */
int cfiles_lock_range(int descriptor, int kind, int64_t start, int64_t length);

/* Returns the process that owns a lock on a range, or 0 if there is none or the lock belongs to an
   open file description, or -1 and errno. */
int cfiles_range_owner(int descriptor, int64_t start, int64_t length);

#endif
