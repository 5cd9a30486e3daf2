#define _GNU_SOURCE

#include "CFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#if defined(__linux__)
#include <sys/sysmacros.h>

/* Headers older than Linux 5.8 lack it. */
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif
#endif

static int64_t nanoseconds(int64_t seconds, int64_t rest) {
  return (int64_t)((uint64_t)seconds * 1000000000u + (uint64_t)rest);
}

int cfiles_extent_of(int folder, const char *name, int wants_time, struct cfiles_extent *extent) {
#if defined(__linux__) && defined(STATX_SIZE)
  struct statx found;
  unsigned wanted = STATX_INO | STATX_SIZE | (wants_time ? STATX_MTIME : 0);
  if (statx(folder, name, AT_SYMLINK_NOFOLLOW, wanted, &found) == 0) {
    extent->device = makedev(found.stx_dev_major, found.stx_dev_minor);
    extent->inode = found.stx_ino;
    extent->size = (int64_t)found.stx_size;
    extent->modified = wants_time ? nanoseconds(found.stx_mtime.tv_sec, found.stx_mtime.tv_nsec) : 0;
    extent->is_mounted = (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
    return 0;
  }
  /* A kernel or a sandbox that lacks the call. */
  if (errno != ENOSYS && errno != EPERM) return -1;
#endif
  struct stat status;
  if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  extent->device = (uint64_t)status.st_dev;
  extent->inode = (uint64_t)status.st_ino;
  extent->size = (int64_t)status.st_size;
#if defined(__APPLE__)
  struct timespec modified = status.st_mtimespec;
#else
  struct timespec modified = status.st_mtim;
#endif
  extent->modified = wants_time ? nanoseconds(modified.tv_sec, modified.tv_nsec) : 0;
  extent->is_mounted = 0;
  return 0;
}
