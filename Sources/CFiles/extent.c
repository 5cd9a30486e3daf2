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

int cfiles_extent_of(int folder, const char *name, struct cfiles_extent *extent) {
#if defined(__linux__) && defined(STATX_SIZE)
  struct statx found;
  if (statx(folder, name, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_SIZE, &found) == 0) {
    extent->device = makedev(found.stx_dev_major, found.stx_dev_minor);
    extent->inode = found.stx_ino;
    extent->size = (int64_t)found.stx_size;
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
  extent->is_mounted = 0;
  return 0;
}
