// Guards memory mappings of files that other programs may truncate.
//
// A read past the end of a mapped file raises SIGBUS, which would end the process. In a guarded
// range, the read returns zeros instead, and the range is marked as damaged. Code that computes
// from a guarded range calls `cm_is_damaged` afterwards and discards the result if it returns true.
#ifndef CMAPPING_H
#define CMAPPING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cm_range cm_range;

// Guards `length` bytes from `start`, a mapping of the caller. If the range is damaged, it is
// replaced with private zero pages of the given protection (PROT_READ, PROT_WRITE). The first call
// installs a SIGBUS handler that forwards every fault outside guarded ranges to the previous
// handler.
//
// Returns NULL if the handler cannot be installed or memory is exhausted. The caller releases the
// range before it removes the mapping.
cm_range *cm_guard(const void *start, size_t length, int protection);

// Ends the guard. No thread may still read the range.
void cm_release(cm_range *range);

// Returns whether a read found that a part of the range no longer exists.
bool cm_is_damaged(const cm_range *range);

// ---- Marks ------------------------------------------------------------------------------------------

// Bits that threads set and read without a lock. They guard no other memory, so their order is relaxed.

// Returns the first number from `first` to before `end` whose bit is not set, or `end`.
static inline size_t cm_first_unmarked(const uint64_t *words, size_t first, size_t end) {
  while (first < end) {
    const uint64_t missing = ~__atomic_load_n(&words[first / 64], __ATOMIC_RELAXED) >> first % 64;
    if (missing != 0) {
      first += (size_t)__builtin_ctzll(missing);
      return first < end ? first : end;
    }
    first = (first / 64 + 1) * 64;
  }
  return end;
}

static inline void cm_mark(uint64_t *words, size_t number) {
  __atomic_fetch_or(&words[number / 64], (uint64_t)1 << number % 64, __ATOMIC_RELAXED);
}

#endif
