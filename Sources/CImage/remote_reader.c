// The program's side of an image that a worker decodes: a reader like any other. It believes nothing that the worker says.

#include <stdlib.h>
#include <string.h>

#include "remote.h"

typedef struct {
  ci_reader base;
  cw_job *job;
  ci_description description;
  uint32_t row, rows;
  int32_t end;  // the status after the last row
  bool is_prepared;
} remote_reader;

static int32_t reject(remote_reader *reader) {
  cw_job_reject(reader->job);
  return ci_fail(&reader->base, CI_CORRUPT, "its decoder answered nonsense");
}

// Returns the status of a decoder, or CI_MORE if it is none.
static int32_t checked(int32_t status) {
  return status == CI_OK || (status >= CI_TRUNCATED && status <= CI_NO_MEMORY) ? status : CI_MORE;
}

// Waits for an answer.
static int32_t wait(remote_reader *reader, cw_answer *answer) {
  switch (cw_job_wait(reader->job, answer)) {
    case CW_OK: return CI_OK;
    case CW_MORE: return CI_MORE;
    case CW_TOO_LARGE: return ci_fail(&reader->base, CI_TOO_LARGE, answer->message);
    default: return ci_fail(&reader->base, CI_CORRUPT, answer->message);
  }
}

static uint32_t reduced(uint32_t side, uint32_t denominator) { return (side - 1) / denominator + 1; }

static int32_t finish_opening(ci_reader *base) {
  remote_reader *const reader = (remote_reader *)base;
  const ci_description *const expected = &reader->description;
  cw_answer answer;
  const int32_t waited = wait(reader, &answer);
  if (waited != CI_OK) return waited;
  const int32_t status = checked(answer.status);
  if (status == CI_MORE || (status == CI_OK) == (answer.is_last != 0)) return reject(reader);
  if (status != CI_OK) return ci_fail(base, status, answer.message);
  const uint32_t width = answer.numbers[0], height = answer.numbers[1];
  const uint32_t most_columns = reduced(expected->width, expected->denominator);
  const uint32_t most_rows = reduced(expected->height, expected->denominator);
  // Only a file of HEIF may crop its image.
  const bool is_exact = expected->library == CW_WEBP || expected->library == CW_GIF;
  if (width < 1 || height < 1 || width > most_columns || height > most_rows ||
      (is_exact && (width != most_columns || height != most_rows))) {
    return reject(reader);
  }
  base->width = width;
  base->height = height;
  return CI_OK;
}

static int32_t prepare(ci_reader *base) {
  remote_reader *const reader = (remote_reader *)base;
  if (reader->is_prepared) return reader->end == CI_TRUNCATED ? CI_TRUNCATED : CI_OK;
  cw_answer answer;
  const int32_t waited = wait(reader, &answer);
  if (waited != CI_OK) return waited;
  const int32_t status = checked(answer.status);
  const uint64_t byte_count = (uint64_t)4 * base->width * answer.numbers[0];
  if (status == CI_MORE || answer.is_last == 0 || answer.numbers[0] > base->height ||
      answer.numbers[1] > 1 || answer.output_count != byte_count ||
      (status == CI_OK && answer.numbers[0] != base->height)) {
    return reject(reader);
  }
  reader->rows = answer.numbers[0];
  reader->end = status;
  reader->is_prepared = true;
  base->is_damaged = answer.numbers[1] != 0;
  return ci_fail(base, status, answer.message);
}

static int32_t read_rows(ci_reader *base, uint8_t *rows, uint32_t max_rows, uint32_t *rows_read) {
  remote_reader *const reader = (remote_reader *)base;
  if (!reader->is_prepared) return CI_CORRUPT;
  const size_t row_bytes = (size_t)4 * base->width;
  while (*rows_read < max_rows && reader->row < reader->rows) {
    uint8_t *const row = rows + *rows_read * row_bytes;
    memcpy(row, cw_job_output(reader->job) + reader->row * row_bytes, row_bytes);
    for (size_t alpha = 3; alpha < row_bytes; alpha += 4) row[alpha] = 255;
    reader->row++;
    ++*rows_read;
  }
  return *rows_read < max_rows && reader->row < base->height ? CI_TRUNCATED : CI_OK;
}

static void close_reader(ci_reader *base) {
  cw_job_close(((remote_reader *)base)->job);
  free(base);
}

ci_reader *ci_remote_open(const uint8_t *bytes, size_t count, ci_description description,
                          ci_limits limits, int32_t *status) {
  remote_reader *const reader = calloc(1, sizeof *reader);
  *status = CI_NO_MEMORY;
  if (reader == NULL) return NULL;
  reader->description = description;
  reader->base.finish_opening = finish_opening;
  reader->base.prepare = prepare;
  reader->base.read_rows = read_rows;
  reader->base.close = close_reader;
  const cw_request request = {
      .library = description.library,
      .numbers = {description.width, description.height, description.denominator,
                  description.coded_width, description.coded_height, limits.keeps_damaged,
                  limits.white},
      .input_count = count,
      .output_capacity = (uint64_t)4 * reduced(description.width, description.denominator) *
                         reduced(description.height, description.denominator),
      // Some decoders copy the file.
      .memory_limit = limits.memory_limit + 2 * count,
  };
  reader->job = cw_job_open(&request, bytes);
  if (reader->job == NULL) {
    free(reader);
    return NULL;
  }
  *status = CI_MORE;
  return &reader->base;
}
