// Runs of models in worker processes, which hold them open (CWorkers).
#ifndef REMOTE_MODEL_H
#define REMOTE_MODEL_H

#include "CReading.h"

typedef struct cr_remote_run cr_remote_run;

// The input of a run: numbers of 32 bits in a shape, or whole numbers of 64 bits, `count` for each input.
typedef struct {
  uint32_t model;
  bool is_tokens;
  const void *values;
  size_t byte_count;
  const int64_t *shape;
  size_t rank;
} cr_remote_input;

// Starts a run. The values must stay valid until cr_remote_free. Returns NULL without memory, or if a side is too large.
cr_remote_run *cr_remote_start(const cr_remote_input *input);

// Do what cr_run_wait, cr_run_stop, cr_run_output and cr_run_free do.
int32_t cr_remote_wait(cr_remote_run *run, char *message, size_t capacity);
void cr_remote_stop(cr_remote_run *run);
const float *cr_remote_output(const cr_remote_run *run, size_t *count, int64_t *shape,
                              int32_t *rank);
void cr_remote_free(cr_remote_run *run);

#endif
