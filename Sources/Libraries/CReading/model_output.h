// The output of a model as bytes, on its way from a worker to the program: a head, and numbers of 32 bits behind it.
#ifndef MODEL_OUTPUT_H
#define MODEL_OUTPUT_H

#include "CReading.h"

typedef struct {
  int64_t rank;  // -1 if the output is none that can be read; then nothing follows
  uint64_t count;
  int64_t shape[CR_RANK_LIMIT];
} cr_output_head;

// The most bytes of an output with its head.
enum { CR_OUTPUT_BYTES = 64 << 20 };

#endif
