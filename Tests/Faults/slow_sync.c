// Loaded with LD_PRELOAD, lets each sync of a file take SLOW_SYNC microseconds more, as on another
// disk. At its end, the process adds a line with the number of syncs to the file SLOW_SYNC_COUNTS.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static atomic_long count;
static long microseconds;
static int (*own_fsync)(int), (*own_fdatasync)(int);

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("SLOW_SYNC");
  microseconds = text ? atol(text) : 2000;
  own_fsync = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
  own_fdatasync = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
}

__attribute__((destructor)) static void end(void) {
  const char *path = getenv("SLOW_SYNC_COUNTS");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", (long)count);
  fclose(file);
}

static int sync_slowly(int (*own)(int), int descriptor) {
  struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
  count++;
  nanosleep(&time, NULL);
  return own(descriptor);
}

int fsync(int descriptor) { return sync_slowly(own_fsync, descriptor); }
int fdatasync(int descriptor) { return sync_slowly(own_fdatasync, descriptor); }
