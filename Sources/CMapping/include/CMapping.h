// Guards memory mappings of files that other programs may truncate.
//
// A read behind the end of a mapped file raises SIGBUS, which would end the process. A read in a guarded range
// finds zero bytes instead, and the range is marked as damaged. Whoever computes from a guarded range asks
// `cm_is_damaged` afterwards and discards the result if it is.
#ifndef CMAPPING_H
#define CMAPPING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cm_range cm_range;

// Guards `length` bytes from `start`, a mapping of the caller's. A range that is damaged is replaced by private
// zero pages of the given protection (PROT_READ, PROT_WRITE). The first call installs a handler of SIGBUS that
// passes on every fault outside guarded ranges to the handler before it.
//
// Returns NULL if the handler cannot be installed or memory is short. The range is to be released before
// the mapping is removed.
cm_range *cm_guard(const void *start, size_t length, int protection);

// Ends the guard. No thread may read the range any more.
void cm_release(cm_range *range);

// Whether a read found that a part of the range has gone.
bool cm_is_damaged(const cm_range *range);

#endif
