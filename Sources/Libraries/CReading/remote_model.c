// The program's side of a run of a model in a worker. It believes nothing that the worker says.

#include "remote_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CWorkers.h"
#include "model_output.h"

struct cr_remote_run {
  cw_job *job;  // NULL when it is over
  bool is_stopped, has_output;
  cr_output_head head;
  float *values;
  int64_t *copy;  // of tokens
};

enum {
  // The most bytes that a run may allocate.
  RUN_BYTES = 1 << 30,
  // The numbers of a request in front of the shape.
  SHAPE_PLACE = 3,
};

cr_remote_run *cr_remote_start(const cr_remote_input *input) {
  cw_request request = {.library = CW_ONNX,
                        .numbers = {input->model, input->is_tokens, (uint32_t)input->rank},
                        .input_count = input->byte_count,
                        .output_capacity = CR_OUTPUT_BYTES,
                        .memory_limit = RUN_BYTES};
  if (input->rank > CR_RANK_LIMIT) return NULL;
  for (size_t i = 0; i < input->rank; i++) {
    if (input->shape[i] < 0 || input->shape[i] > UINT32_MAX) return NULL;
    request.numbers[SHAPE_PLACE + i] = (uint32_t)input->shape[i];
  }
  cr_remote_run *const run = calloc(1, sizeof *run);
  if (run == NULL) return NULL;
  const void *values = input->values;
  if (input->is_tokens) {
    run->copy = malloc(input->byte_count + 1);
    if (run->copy != NULL) memcpy(run->copy, values, input->byte_count);
    values = run->copy;
  }
  if (values != NULL) run->job = cw_job_open(&request, values);
  if (run->job != NULL) return run;
  cr_remote_free(run);
  return NULL;
}

// Copies an output before it is looked at, since the worker may still change it.
static bool read_output(cr_remote_run *run, const uint8_t *bytes, uint64_t count) {
  if (count < sizeof run->head) return false;
  memcpy(&run->head, bytes, sizeof run->head);
  if (run->head.rank == -1) return count == sizeof run->head;
  if (run->head.rank < 0 || run->head.rank > CR_RANK_LIMIT) return false;
  uint64_t numbers = 1;
  for (int64_t i = 0; i < run->head.rank; i++) {
    if (run->head.shape[i] < 0 ||
        __builtin_mul_overflow(numbers, (uint64_t)run->head.shape[i], &numbers)) {
      return false;
    }
  }
  if (numbers != (count - sizeof run->head) / sizeof(float) ||
      (count - sizeof run->head) % sizeof(float) != 0) {
    return false;
  }
  run->values = malloc((size_t)numbers * sizeof(float) + 1);
  if (run->values == NULL) return false;
  memcpy(run->values, bytes + sizeof run->head, (size_t)numbers * sizeof(float));
  run->head.count = numbers;
  run->has_output = true;
  return true;
}

int32_t cr_remote_wait(cr_remote_run *run, char *message, size_t capacity) {
  if (run->is_stopped) return CR_STOPPED;
  cw_answer answer;
  const int32_t waited = cw_job_wait(run->job, &answer);
  if (waited == CW_MORE) return CR_MORE;
  (void)snprintf(message, capacity, "%s", answer.message);
  if (waited != CW_OK) return CR_REFUSED;
  const bool is_known =
      answer.status == CR_OK || answer.status == CR_REFUSED || answer.status == CR_NO_MEMORY;
  const bool is_sound =
      is_known && answer.is_last != 0 &&
      (answer.status != CR_OK || read_output(run, cw_job_output(run->job), answer.output_count));
  if (is_sound) return answer.status;
  cw_job_reject(run->job);
  (void)snprintf(message, capacity, "its process answered nonsense");
  return CR_REFUSED;
}

void cr_remote_stop(cr_remote_run *run) {
  cw_job_close(run->job);
  run->job = NULL;
  run->is_stopped = true;
}

const float *cr_remote_output(const cr_remote_run *run, size_t *count, int64_t *shape,
                              int32_t *rank) {
  if (!run->has_output) return NULL;
  *count = (size_t)run->head.count;
  *rank = (int32_t)run->head.rank;
  memcpy(shape, run->head.shape, sizeof run->head.shape);
  return run->values;
}

void cr_remote_free(cr_remote_run *run) {
  if (run == NULL) return;
  cw_job_close(run->job);
  free(run->copy);
  free(run->values);
  free(run);
}
