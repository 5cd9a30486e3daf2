#define _GNU_SOURCE

#include "CFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#ifdef F_OFD_SETLK
static struct flock range(short type, int64_t start, int64_t length) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t)start;
  lock.l_len = (off_t)length;
  return lock;
}
#endif

int cfiles_lock_range(int descriptor, int kind, int64_t start, int64_t length) {
#ifdef F_OFD_SETLK
  short type = kind == CFILES_SHARED ? F_RDLCK : kind == CFILES_EXCLUSIVE ? F_WRLCK : F_UNLCK;
  struct flock lock = range(type, start, length);
  return fcntl(descriptor, F_OFD_SETLK, &lock) == -1 ? -1 : 0;
#else
  (void)descriptor, (void)kind, (void)start, (void)length;
  errno = ENOTSUP;
  return -1;
#endif
}

int cfiles_range_owner(int descriptor, int64_t start, int64_t length) {
#ifdef F_OFD_SETLK
  struct flock lock = range(F_WRLCK, start, length);
  if (fcntl(descriptor, F_OFD_GETLK, &lock) == -1) return -1;
  return lock.l_type == F_UNLCK || lock.l_pid < 0 ? 0 : (int)lock.l_pid;
#else
  (void)descriptor, (void)start, (void)length;
  errno = ENOTSUP;
  return -1;
#endif
}
