#include "AllocationCounting.h"

#include <stddef.h>

/* Swift's runtime calls its allocator through a pointer while a switch is on that is there for
   instruments; see swift_allocObject in the runtime's HeapObject.cpp. */

#ifdef __linux__

#include <malloc.h>
#include <stdatomic.h>

typedef void *(*Allocator)(const void *metadata, size_t size, size_t alignmentMask);

extern _Atomic(Allocator) _swift_allocObject;
extern _Atomic(bool)
    _swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly;

static Allocator system_allocator;
static _Thread_local bool counts;
static _Thread_local long count;

static void *counting_allocator(const void *metadata, size_t size, size_t alignmentMask) {
  if (counts) count += 1;
  return system_allocator(metadata, size, alignmentMask);
}

bool allocation_counting_is_possible(void) { return true; }

void allocation_counting_begin(void) {
  if (!system_allocator) system_allocator = atomic_load(&_swift_allocObject);
  count = 0;
  counts = true;
  atomic_store(&_swift_allocObject, counting_allocator);
  atomic_store(
      &_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly, true);
}

long allocation_counting_end(void) {
  counts = false;
  atomic_store(
      &_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly, false);
  atomic_store(&_swift_allocObject, system_allocator);
  return count;
}

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
