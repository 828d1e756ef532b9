#ifndef METER_H
#define METER_H

#include <stddef.h>
#include <stdint.h>

/// Begins to count what the process allocates, also what it frees again.
void meter_begin(void);

/// The number of bytes that were allocated since `meter_begin`.
uint64_t meter_allocated(void);

/// Tells libFuzzer that an input reached a degree of a kind of cost. A degree that no input had before is a reason to keep the input
/// and to change it further, so that the fuzzer looks for the dearest inputs as it looks for new code.
void meter_reach(unsigned kind, unsigned degree);

#endif
