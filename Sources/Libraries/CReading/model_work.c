// A worker's side of models: opens those of a folder, and runs them as the program itself would.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "CReading.h"
#include "CWorkers.h"
#include "model_output.h"

// The words of a worker: the library, and three for each model.
enum { MODEL_LIMIT = 8, WORDS_A_MODEL = 3, SHAPE_PLACE = 3, IDENTITY_BYTES = 128 };

static struct {
  const char *const *words;
  size_t count;
  cr_model *models[MODEL_LIMIT];
} work_of;

bool cr_file_identity(const char *path, char *text, size_t capacity) {
  struct stat status;
  if (stat(path, &status) != 0) return false;
#ifdef __APPLE__
  const struct timespec time = status.st_mtimespec;
#else
  const struct timespec time = status.st_mtim;
#endif
  (void)snprintf(text, capacity, "%llu:%llu:%lld:%lld.%ld", (unsigned long long)status.st_dev,
                 (unsigned long long)status.st_ino, (long long)status.st_size,
                 (long long)time.tv_sec, time.tv_nsec);
  return true;
}

// Reads the file of a model, if it is still the one that the program checked.
static uint8_t *read_model(const char *path, const char *identity, size_t *count) {
  char found[IDENTITY_BYTES];
  if (!cr_file_identity(path, found, sizeof found) || strcmp(found, identity) != 0) return NULL;
  struct stat status;
  FILE *const file = fopen(path, "rbe");
  if (file == NULL) return NULL;
  uint8_t *bytes = NULL;
  if (fstat(fileno(file), &status) == 0 && status.st_size > 0) {
    *count = (size_t)status.st_size;
    bytes = malloc(*count);
  }
  if (bytes != NULL && fread(bytes, 1, *count, file) != *count) {
    free(bytes);
    bytes = NULL;
  }
  (void)fclose(file);
  return bytes;
}

static bool open_model(const char *const words[WORDS_A_MODEL], cr_model **model) {
  char message[256];
  size_t count = 0;
  uint8_t *const bytes = read_model(words[0], words[1], &count);
  const bool is_open = bytes != NULL && cr_model_open(bytes, count, model, message,
                                                      sizeof message) == CR_OK;
  free(bytes);
  return is_open && cr_model_choose_output(*model, strtoul(words[2], NULL, 10));
}

static bool load(cw_library library) {
  (void)library;
  char message[256];
  const size_t models = work_of.count == 0 ? 0 : (work_of.count - 1) / WORDS_A_MODEL;
  if (models == 0 || models > MODEL_LIMIT) return false;
  const char *const runtime = strcmp(work_of.words[0], "-") == 0 ? NULL : work_of.words[0];
  if (cr_runtime_load(runtime, message, sizeof message) != CR_OK) return false;
  for (size_t i = 0; i < models; i++) {
    if (!open_model(work_of.words + 1 + i * WORDS_A_MODEL, &work_of.models[i])) return false;
  }
  return true;
}

static cr_run *start(const cw_request *request, const uint8_t *input, int32_t *status,
                     char *message) {
  const uint32_t *const numbers = request->numbers;
  cr_model *const model = numbers[0] < MODEL_LIMIT ? work_of.models[numbers[0]] : NULL;
  cr_run *run = NULL;
  *status = CR_REFUSED;
  if (model == NULL || numbers[2] > CR_RANK_LIMIT) return NULL;
  int64_t shape[CR_RANK_LIMIT];
  for (uint32_t i = 0; i < numbers[2]; i++) shape[i] = numbers[SHAPE_PLACE + i];
  // The input begins at the border of a page.
  const void *const values = input;
  *status = numbers[1] != 0
                ? cr_run_start_tokens(model, values, (size_t)shape[0], &run, message,
                                      CW_MESSAGE_BYTES)
                : cr_run_start(model, values, request->input_count / sizeof(float), shape,
                               numbers[2], &run, message, CW_MESSAGE_BYTES);
  return run;
}

static void write_output(cr_run *run, cw_answer *answer, uint8_t *output) {
  cr_output_head head = {.rank = -1};
  size_t count = 0;
  int32_t rank = 0;
  const float *const values = cr_run_output(run, &count, head.shape, &rank);
  if (values != NULL && count > (CR_OUTPUT_BYTES - sizeof head) / sizeof *values) {
    answer->status = CR_REFUSED;
    (void)snprintf(answer->message, sizeof answer->message, "it gives %zu numbers", count);
    return;
  }
  answer->output_count = sizeof head;
  if (values != NULL) {
    head.rank = rank;
    head.count = count;
    memcpy(output + sizeof head, values, count * sizeof *values);
    answer->output_count += count * sizeof *values;
  }
  memcpy(output, &head, sizeof head);
}

static void work(cw_turn *turn, const cw_request *request, const uint8_t *input, uint8_t *output) {
  cw_answer answer = {.is_last = 1};
  cr_run *const run = start(request, input, &answer.status, answer.message);
  if (answer.status == CR_OK) {
    while ((answer.status = cr_run_wait(run, answer.message, CW_MESSAGE_BYTES)) == CR_MORE) {
      if (cw_is_cancelled(turn)) cr_run_stop(run);
    }
    if (answer.status == CR_OK) write_output(run, &answer, output);
  }
  cr_run_free(run);
  // A run that was given up has no outcome.
  if (answer.status == CR_STOPPED) answer.status = CR_REFUSED;
  cw_say(turn, &answer);
}

void cr_register_model_work(const char *const *words, size_t count) {
  work_of.words = words;
  work_of.count = count;
  cw_register(CW_ONNX, load, work);
}
