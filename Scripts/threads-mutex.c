// Tells the thread sanitizer about Swift's Mutex, for Scripts/check-threads.
//
// On Linux a Mutex that nobody waits for is taken and given by an atomic exchange in the program's
// own code, which the sanitizer sees. One that somebody waits for is handed on by the kernel, in
// functions of the standard library that were built without the sanitizer: to it the two threads
// never met, and whatever the lock protects looks like a race. These functions stand before those
// and say that they met.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// There in a program that was built for the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT _Bool try_lock(SELF void *mutex) __asm__(TRY);
SWIFT void unlock(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF void *mutex) {
  SWIFT void (*original)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
  original(thread, mutex);
  if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT _Bool try_lock(SELF void *mutex) {
  SWIFT _Bool (*original)(SELF void *) = dlsym(RTLD_NEXT, TRY);
  _Bool taken = original(mutex);
  if (taken && __tsan_acquire) __tsan_acquire(mutex);
  return taken;
}

SWIFT void unlock(SELF void *mutex) {
  SWIFT void (*original)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(mutex);
  original(mutex);
}
