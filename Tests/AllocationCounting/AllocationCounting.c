#include "AllocationCounting.h"

#include <stddef.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif

#ifdef __GLIBC__

#include <malloc.h>
#include <stdatomic.h>

/* A program's own malloc takes the place of the C library's in all of its libraries. A sanitizer has one
   already. */
#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)

static _Thread_local bool counts;
static _Thread_local long count;

extern void *__libc_malloc(size_t size);

void *malloc(size_t size) {
  if (counts) count += 1;
  return __libc_malloc(size);
}

bool allocation_counting_is_possible(void) { return true; }

void allocation_counting_begin(void) {
  count = 0;
  counts = true;
}

long allocation_counting_end(void) {
  counts = false;
  return count;
}

#else

bool allocation_counting_is_possible(void) { return false; }

void allocation_counting_begin(void) {}

long allocation_counting_end(void) { return 0; }

#endif

long allocated_bytes(void) {
  struct mallinfo2 information = mallinfo2();
  return (long)(information.uordblks + information.hblkhd);
}

extern _Atomic(void (*)(void *)) _swift_willThrow;
extern _Atomic(void (*)(void *, const void *, const void *)) _swift_willThrowTypedImpl;

void thrown_errors_are_not_recorded(void) {
  atomic_store(&_swift_willThrow, NULL);
  atomic_store(&_swift_willThrowTypedImpl, NULL);
}

#else

void thrown_errors_are_not_recorded(void) {}

long allocated_bytes(void) { return 0; }

bool allocation_counting_is_possible(void) { return false; }

void allocation_counting_begin(void) {}

long allocation_counting_end(void) { return 0; }

#endif
