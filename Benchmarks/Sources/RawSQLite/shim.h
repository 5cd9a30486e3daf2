#ifndef OPEN_SWIFT_DATA_RAW_SQLITE_SHIM_H
#define OPEN_SWIFT_DATA_RAW_SQLITE_SHIM_H

#include <sqlite3.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* SQLITE_TRANSIENT and SQLITE_STATIC are casts that Swift does not import. */
static inline int raw_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

/* Gives memory that nobody uses back to the system, where its library lets one ask for that. */
static inline void raw_release_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

/* How many bytes the process holds of its heap, or 0 where its library does not tell. */
static inline size_t raw_allocated_bytes(void) {
#ifdef __GLIBC__
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

#endif
