#ifndef OPEN_SWIFT_DATA_RAW_SQLITE_SHIM_H
#define OPEN_SWIFT_DATA_RAW_SQLITE_SHIM_H

#include <sqlite3.h>

/* SQLITE_TRANSIENT and SQLITE_STATIC are casts that Swift does not import. */
static inline int raw_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
  return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

#endif
