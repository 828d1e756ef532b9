// ONNX Runtime, loaded when first needed. Its functions are in a table that only grows, so that the place of a
// function is the same in every version (onnxruntime_c_api.h, `struct OrtApi`).

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CReading.h"
#include "remote_model.h"

#ifdef __APPLE__
static const char *const system_names[] = {"libonnxruntime.dylib"};
#else
// Debian includes the minor version in the name of the library.
static const char *const system_names[] = {"libonnxruntime.so.1", "libonnxruntime.so",
                                           "libonnxruntime.so.1.21"};
#endif

typedef struct ort_status ort_status;
typedef struct ort_object ort_object;

enum { FLOAT = 1, INT32 = 6, INT64 = 7, HALF = 10, FATAL = 4, ALL_OPTIMIZATIONS = 99, DEVICE_ALLOCATOR = 0, DEFAULT_MEMORY = 0 };

// The version of the table that has all functions below.
enum { TABLE_VERSION = 2 };

// The functions of the table: result, name, index, parameters.
#define ORT_FUNCTIONS(each)                                                                         \
  each(const char *, GetErrorMessage, 2, (const ort_status *))                                      \
  each(ort_status *, CreateEnv, 3, (int, const char *, ort_object **))                              \
  each(ort_status *, CreateSessionFromArray, 8,                                                     \
       (const ort_object *, const void *, size_t, const ort_object *, ort_object **))               \
  each(ort_status *, Run, 9,                                                                        \
       (ort_object *, const ort_object *, const char *const *, const ort_object *const *, size_t,   \
        const char *const *, size_t, ort_object **))                                                \
  each(ort_status *, CreateSessionOptions, 10, (ort_object **))                                     \
  each(ort_status *, DisableMemPattern, 17, (ort_object *))                                         \
  each(ort_status *, DisableCpuMemArena, 19, (ort_object *))                                        \
  each(ort_status *, SetSessionGraphOptimizationLevel, 23, (ort_object *, int))                     \
  each(ort_status *, SetIntraOpNumThreads, 24, (ort_object *, int))                                 \
  each(ort_status *, SetInterOpNumThreads, 25, (ort_object *, int))                                 \
  each(ort_status *, SessionGetInputCount, 30, (const ort_object *, size_t *))                      \
  each(ort_status *, SessionGetOutputCount, 31, (const ort_object *, size_t *))                     \
  each(ort_status *, SessionGetInputTypeInfo, 33, (const ort_object *, size_t, ort_object **))      \
  each(ort_status *, SessionGetOutputTypeInfo, 34, (const ort_object *, size_t, ort_object **))     \
  each(ort_status *, SessionGetInputName, 36, (const ort_object *, size_t, ort_object *, char **))  \
  each(ort_status *, SessionGetOutputName, 37, (const ort_object *, size_t, ort_object *, char **)) \
  each(ort_status *, CreateRunOptions, 39, (ort_object **))                                         \
  each(ort_status *, RunOptionsSetTerminate, 46, (ort_object *))                                    \
  each(ort_status *, CreateTensorWithDataAsOrtValue, 49,                                            \
       (const ort_object *, void *, size_t, const int64_t *, size_t, int, ort_object **))           \
  each(ort_status *, GetTensorMutableData, 51, (ort_object *, void **))                             \
  each(ort_status *, CastTypeInfoToTensorInfo, 55, (const ort_object *, const ort_object **))       \
  each(ort_status *, GetTensorElementType, 60, (const ort_object *, int *))                         \
  each(ort_status *, GetDimensionsCount, 61, (const ort_object *, size_t *))                        \
  each(ort_status *, GetDimensions, 62, (const ort_object *, int64_t *, size_t))                    \
  each(ort_status *, GetTensorShapeElementCount, 64, (const ort_object *, size_t *))                \
  each(ort_status *, GetTensorTypeAndShape, 65, (const ort_object *, ort_object **))                \
  each(ort_status *, CreateCpuMemoryInfo, 69, (int, int, ort_object **))                            \
  each(ort_status *, AllocatorFree, 76, (ort_object *, void *))                                     \
  each(ort_status *, GetAllocatorWithDefaultOptions, 78, (ort_object **))                           \
  each(void, ReleaseStatus, 93, (ort_status *))                                                     \
  each(void, ReleaseMemoryInfo, 94, (ort_object *))                                                 \
  each(void, ReleaseSession, 95, (ort_object *))                                                    \
  each(void, ReleaseValue, 96, (ort_object *))                                                      \
  each(void, ReleaseRunOptions, 97, (ort_object *))                                                 \
  each(void, ReleaseTypeInfo, 98, (ort_object *))                                                   \
  each(void, ReleaseTensorTypeAndShapeInfo, 99, (ort_object *))                                     \
  each(void, ReleaseSessionOptions, 100, (ort_object *))                                            \
  each(ort_status *, SessionGetModelMetadata, 111, (const ort_object *, ort_object **))             \
  each(void, ReleaseModelMetadata, 118, (ort_object *))                                             \
  each(ort_status *, ModelMetadataLookupCustomMetadataMap, 116,                                     \
       (const ort_object *, ort_object *, const char *, char **))

#define ORT_DECLARE(type, name, index, parameters) type(*name) parameters;
static struct { ORT_FUNCTIONS(ORT_DECLARE) } ort;

typedef struct {
  const void *const *(*GetApi)(uint32_t version);
  const char *(*GetVersionString)(void);
} ort_base;

// The state that all models share. It is created by the first call that finds a library, and never freed.
static struct {
  pthread_mutex_t lock;
  bool is_loaded;
  ort_object *environment, *memory, *allocator;
} runtime = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void say(char *message, size_t capacity, const char *text) {
  if (capacity == 0) return;
  size_t length = strnlen(text, capacity - 1);
  memcpy(message, text, length);
  message[length] = '\0';
}

// Frees a status and returns whether it reported success.
static bool succeeded(ort_status *status, char *message, size_t capacity) {
  if (status == NULL) return true;
  say(message, capacity, ort.GetErrorMessage(status));
  ort.ReleaseStatus(status);
  return false;
}

static int32_t load(const char *path, char *message, size_t capacity) {
  void *handle = NULL;
  if (path != NULL) {
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) say(message, capacity, dlerror());
  } else {
    say(message, capacity, "libonnxruntime.so.1 was not found");
    for (size_t i = 0; handle == NULL && i < sizeof system_names / sizeof *system_names; i++) {
      handle = dlopen(system_names[i], RTLD_NOW | RTLD_LOCAL);
    }
  }
  if (handle == NULL) return CR_MISSING;
  const ort_base *(*const base)(void) = (const ort_base *(*)(void))dlsym(handle, "OrtGetApiBase");
  const void *const *const table = base == NULL ? NULL : base()->GetApi(TABLE_VERSION);
  if (table == NULL) {
    say(message, capacity, "the library has no functions of ONNX Runtime 1.0");
    return CR_REFUSED;
  }
#define ORT_FIND(type, name, index, parameters) memcpy(&ort.name, &table[index], sizeof ort.name);
  ORT_FUNCTIONS(ORT_FIND)
  const bool is_ready =
      succeeded(ort.CreateEnv(FATAL, "vq", &runtime.environment), message, capacity) &&
      succeeded(ort.CreateCpuMemoryInfo(DEVICE_ALLOCATOR, DEFAULT_MEMORY, &runtime.memory), message,
                capacity) &&
      succeeded(ort.GetAllocatorWithDefaultOptions(&runtime.allocator), message, capacity);
  runtime.is_loaded = is_ready;
  return is_ready ? CR_OK : CR_REFUSED;
}

int32_t cr_runtime_load(const char *path, char *message, size_t capacity) {
  pthread_mutex_lock(&runtime.lock);
  const int32_t status = runtime.is_loaded ? CR_OK : load(path, message, capacity);
  pthread_mutex_unlock(&runtime.lock);
  return status;
}

struct cr_model {
  bool is_detached;
  uint32_t index;  // in the workers, if it is detached
  ort_object *session;
  size_t input_count, output_count;
  size_t output_index;   // of the output that runs compute
  int types[CR_INPUT_LIMIT];  // of the elements of the first inputs; 0 for what is no tensor
  char *inputs[CR_INPUT_LIMIT], *output;  // names, of the runtime's allocator
  _Atomic int32_t abandoned;              // runs that nobody waits for any more
};

void cr_model_close(cr_model *model) {
  if (model == NULL) return;
  for (size_t i = 0; i < CR_INPUT_LIMIT; i++) {
    if (model->inputs[i] != NULL) {
      (void)succeeded(ort.AllocatorFree(runtime.allocator, model->inputs[i]), NULL, 0);
    }
  }
  if (model->output != NULL) {
    (void)succeeded(ort.AllocatorFree(runtime.allocator, model->output), NULL, 0);
  }
  if (model->session != NULL) ort.ReleaseSession(model->session);
  free(model);
}

static bool open_session(cr_model *model, const uint8_t *bytes, size_t count, char *message,
                         size_t capacity) {
  ort_object *options = NULL;
  if (!succeeded(ort.CreateSessionOptions(&options), message, capacity)) return false;
  // Without an arena, ONNX Runtime frees the memory of a run after it.
  bool is_open =
      succeeded(ort.SetIntraOpNumThreads(options, 1), message, capacity) &&
      succeeded(ort.SetInterOpNumThreads(options, 1), message, capacity) &&
      succeeded(ort.DisableMemPattern(options), message, capacity) &&
      succeeded(ort.DisableCpuMemArena(options), message, capacity) &&
      succeeded(ort.SetSessionGraphOptimizationLevel(options, ALL_OPTIMIZATIONS), message,
                capacity) &&
      succeeded(ort.CreateSessionFromArray(runtime.environment, bytes, count, options,
                                           &model->session),
                message, capacity) &&
      succeeded(ort.SessionGetInputCount(model->session, &model->input_count), message, capacity) &&
      succeeded(ort.SessionGetOutputCount(model->session, &model->output_count), message,
                capacity) &&
      (model->output_count == 0 ||
       succeeded(ort.SessionGetOutputName(model->session, 0, runtime.allocator, &model->output),
                 message, capacity));
  for (size_t i = 0; is_open && i < model->input_count && i < CR_INPUT_LIMIT; i++) {
    is_open = succeeded(
        ort.SessionGetInputName(model->session, i, runtime.allocator, &model->inputs[i]), message,
        capacity);
  }
  ort.ReleaseSessionOptions(options);
  return is_open;
}

static int32_t model_shape(const cr_model *model, bool is_output, size_t index, int64_t *shape,
                           int *type);

int32_t cr_model_open(const uint8_t *bytes, size_t count, cr_model **model, char *message,
                      size_t capacity) {
  *model = NULL;
  cr_model *const opened = calloc(1, sizeof *opened);
  if (opened == NULL) return CR_NO_MEMORY;
  if (!open_session(opened, bytes, count, message, capacity)) {
    cr_model_close(opened);
    return CR_REFUSED;
  }
  int64_t shape[CR_RANK_LIMIT];
  for (size_t i = 0; i < CR_INPUT_LIMIT; i++) {
    (void)model_shape(opened, false, i, shape, &opened->types[i]);
  }
  *model = opened;
  return CR_OK;
}

void cr_model_detach(cr_model *model, uint32_t index) {
  ort.ReleaseSession(model->session);
  model->session = NULL;
  model->is_detached = true;
  model->index = index;
}

size_t cr_model_count(const cr_model *model, bool is_output) {
  return is_output ? model->output_count : model->input_count;
}

// Returns the rank of a tensor, its shape and the type of its elements; the rank is -1 if it has too many sides.
static int32_t tensor_shape(const ort_object *info, int64_t *shape, int *type) {
  size_t rank = 0;
  if (!succeeded(ort.GetTensorElementType(info, type), NULL, 0) ||
      !succeeded(ort.GetDimensionsCount(info, &rank), NULL, 0) || rank > CR_RANK_LIMIT ||
      !succeeded(ort.GetDimensions(info, shape, rank), NULL, 0)) {
    return -1;
  }
  return (int32_t)rank;
}

static int32_t model_shape(const cr_model *model, bool is_output, size_t index, int64_t *shape,
                           int *type) {
  if (index >= cr_model_count(model, is_output) || model->session == NULL) return -1;
  ort_object *info = NULL;
  const ort_object *tensor = NULL;
  ort_status *const status = is_output
                                 ? ort.SessionGetOutputTypeInfo(model->session, index, &info)
                                 : ort.SessionGetInputTypeInfo(model->session, index, &info);
  if (!succeeded(status, NULL, 0)) return -1;
  // The tensor's information is part of the type's.
  const int32_t rank =
      succeeded(ort.CastTypeInfoToTensorInfo(info, &tensor), NULL, 0) && tensor != NULL
          ? tensor_shape(tensor, shape, type)
          : -1;
  ort.ReleaseTypeInfo(info);
  return rank;
}

int32_t cr_model_shape(const cr_model *model, bool is_output, int64_t *shape) {
  int type = 0;
  const int32_t rank =
      model_shape(model, is_output, is_output ? model->output_index : 0, shape, &type);
  return type == FLOAT || type == HALF ? rank : -1;
}

int32_t cr_model_token_shape(const cr_model *model, size_t index, int64_t *shape) {
  int type = 0;
  const int32_t rank = index < CR_INPUT_LIMIT ? model_shape(model, false, index, shape, &type) : -1;
  return type == INT32 || type == INT64 ? rank : -1;
}

int64_t cr_model_name(const cr_model *model, bool is_output, size_t index, char *text,
                      size_t capacity) {
  if (index >= cr_model_count(model, is_output)) return -1;
  char *name = NULL;
  ort_status *const status =
      is_output ? ort.SessionGetOutputName(model->session, index, runtime.allocator, &name)
                : ort.SessionGetInputName(model->session, index, runtime.allocator, &name);
  if (!succeeded(status, NULL, 0)) return -1;
  const size_t count = strlen(name);
  memcpy(text, name, count < capacity ? count : capacity);
  (void)succeeded(ort.AllocatorFree(runtime.allocator, name), NULL, 0);
  return (int64_t)count;
}

bool cr_model_choose_output(cr_model *model, size_t index) {
  char *name = NULL;
  if (index >= model->output_count ||
      !succeeded(ort.SessionGetOutputName(model->session, index, runtime.allocator, &name), NULL,
                 0)) {
    return false;
  }
  (void)succeeded(ort.AllocatorFree(runtime.allocator, model->output), NULL, 0);
  model->output = name;
  model->output_index = index;
  return true;
}

size_t cr_model_output_index(const cr_model *model) { return model->output_index; }

int64_t cr_model_metadata(const cr_model *model, const char *key, char *text, size_t capacity) {
  ort_object *metadata = NULL;
  char *value = NULL;
  if (!succeeded(ort.SessionGetModelMetadata(model->session, &metadata), NULL, 0)) return -1;
  int64_t length = -1;
  if (succeeded(
          ort.ModelMetadataLookupCustomMetadataMap(metadata, runtime.allocator, key, &value), NULL,
          0) &&
      value != NULL) {
    const size_t count = strlen(value);
    memcpy(text, value, count < capacity ? count : capacity);
    length = (int64_t)count;
    (void)succeeded(ort.AllocatorFree(runtime.allocator, value), NULL, 0);
  }
  ort.ReleaseModelMetadata(metadata);
  return length;
}

// Returns the value of a 16-bit number of IEEE 754.
static float from_half(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  const uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
  uint32_t bits = 0;
  if (exponent == 0) {
    const float small = (float)fraction / 16777216.0f;
    memcpy(&bits, &small, sizeof bits);
  } else {
    bits = (exponent == 31 ? 255 : exponent + 112) << 23 | fraction << 13;
  }
  bits |= sign;
  float value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Returns the nearest 16-bit number of IEEE 754.
static uint16_t to_half(float value) {
  uint32_t bits = 0;
  memcpy(&bits, &value, sizeof bits);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000) return (uint16_t)(sign | 0x7E00);
  if (magnitude >= 0x47800000) return (uint16_t)(sign | 0x7C00);
  if (magnitude < 0x38800000) {
    float small = 0;
    memcpy(&small, &magnitude, sizeof small);
    return (uint16_t)(sign | (uint32_t)(small * 16777216.0f + 0.5f));
  }
  const uint32_t rounded = magnitude + 0xFFF + (magnitude >> 13 & 1);
  return (uint16_t)(sign | (rounded - 0x38000000) >> 13);
}

struct cr_run {
  cr_remote_run *remote;  // in a worker: the rest is not used
  pthread_mutex_t lock;
  pthread_cond_t change;
  pthread_t thread;
  bool is_running, is_done, is_stopped, is_abandoned;
  cr_model *model;
  ort_object *options, *inputs[CR_INPUT_LIMIT], *output;
  size_t input_count;
  ort_status *status;
  void *copies[CR_INPUT_LIMIT];  // of the inputs, in the type of the model
  float *values;                 // of the input, of an abandoned run
  float *widened;                // the output, if it has 16-bit numbers
};

static void release(cr_run *run);

static void *compute(void *argument) {
  cr_run *const run = argument;
  const char *inputs[CR_INPUT_LIMIT];
  const ort_object *values[CR_INPUT_LIMIT];
  for (size_t i = 0; i < run->input_count; i++) {
    inputs[i] = run->model->inputs[i];
    values[i] = run->inputs[i];
  }
  const char *const outputs[] = {run->model->output};
  ort_status *const status = ort.Run(run->model->session, run->options, inputs, values,
                                     run->input_count, outputs, 1, &run->output);
  pthread_mutex_lock(&run->lock);
  run->status = status;
  run->is_done = true;
  const bool is_abandoned = run->is_abandoned;
  pthread_cond_signal(&run->change);
  pthread_mutex_unlock(&run->lock);
  if (is_abandoned) {
    cr_model *const model = run->model;
    release(run);
    atomic_fetch_sub(&model->abandoned, 1);
  }
  return NULL;
}

// Starts the thread. It blocks all signals, which are for the threads of the program.
static bool start_thread(cr_run *run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  run->is_running = pthread_create(&run->thread, NULL, compute, run) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return run->is_running;
}

// The clock of waits. It is never set, so that a wait of 3 ms does not become an hour.
#ifdef __APPLE__
enum { WAIT_CLOCK = CLOCK_REALTIME };  // There conditions have no other clock.
#else
enum { WAIT_CLOCK = CLOCK_MONOTONIC };
#endif

static void init_condition(pthread_cond_t *condition) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
#ifndef __APPLE__
  pthread_condattr_setclock(&attributes, WAIT_CLOCK);
#endif
  pthread_cond_init(condition, &attributes);
  pthread_condattr_destroy(&attributes);
}

static cr_run *new_run(cr_model *model) {
  cr_run *const run = calloc(1, sizeof *run);
  if (run == NULL) return NULL;
  pthread_mutex_init(&run->lock, NULL);
  init_condition(&run->change);
  run->model = model;
  return run;
}

// Adds an input. The runtime only reads its values.
static bool add_input(cr_run *run, void *values, size_t size, const int64_t *shape, size_t rank,
                      int type, char *message, size_t capacity) {
  ort_object **const input = &run->inputs[run->input_count];
  if (!succeeded(ort.CreateTensorWithDataAsOrtValue(runtime.memory, values, size, shape, rank,
                                                    type, input),
                 message, capacity)) {
    return false;
  }
  run->input_count++;
  return true;
}

// Starts a run that has its inputs, if these were accepted, or frees it.
static int32_t start(cr_run *run, bool has_inputs, cr_run **started, char *message,
                     size_t capacity) {
  const bool is_ready =
      has_inputs && succeeded(ort.CreateRunOptions(&run->options), message, capacity);
  if (!is_ready || !start_thread(run)) {
    cr_run_free(run);
    return is_ready ? CR_NO_MEMORY : CR_REFUSED;
  }
  *started = run;
  return CR_OK;
}

// Starts a run in a worker.
static int32_t start_remote(const cr_remote_input *input, cr_run **run) {
  cr_run *const started = calloc(1, sizeof *started);
  if (started == NULL) return CR_NO_MEMORY;
  started->remote = cr_remote_start(input);
  if (started->remote == NULL) {
    free(started);
    return CR_NO_MEMORY;
  }
  *run = started;
  return CR_OK;
}

int32_t cr_run_start(cr_model *model, const float *values, size_t count, const int64_t *shape,
                     size_t rank, cr_run **run, char *message, size_t capacity) {
  *run = NULL;
  if (model->is_detached) {
    return start_remote(&(cr_remote_input){.model = model->index,
                                           .values = values,
                                           .byte_count = count * sizeof *values,
                                           .shape = shape,
                                           .rank = rank},
                        run);
  }
  cr_run *const started = new_run(model);
  if (started == NULL) return CR_NO_MEMORY;
  void *input = (void *)(uintptr_t)values;
  size_t size = count * sizeof *values;
  const bool is_half = model->types[0] == HALF;
  if (is_half) {
    uint16_t *const halves = calloc(count + 1, sizeof *halves);
    started->copies[0] = halves;
    if (halves == NULL) {
      cr_run_free(started);
      return CR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) halves[i] = to_half(values[i]);
    input = halves;
    size = count * sizeof *halves;
  }
  const bool has_input =
      add_input(started, input, size, shape, rank, is_half ? HALF : FLOAT, message, capacity);
  return start(started, has_input, run, message, capacity);
}

int32_t cr_run_start_tokens(cr_model *model, const int64_t *values, size_t count, cr_run **run,
                            char *message, size_t capacity) {
  *run = NULL;
  if (model->is_detached) {
    const int64_t counts[] = {(int64_t)count};
    return start_remote(&(cr_remote_input){.model = model->index,
                                           .is_tokens = true,
                                           .values = values,
                                           .byte_count =
                                               count * model->input_count * sizeof *values,
                                           .shape = counts,
                                           .rank = 1},
                        run);
  }
  cr_run *const started = new_run(model);
  if (started == NULL) return CR_NO_MEMORY;
  const int64_t shape[] = {1, (int64_t)count};
  bool has_inputs = model->input_count <= CR_INPUT_LIMIT;
  for (size_t i = 0; has_inputs && i < model->input_count; i++) {
    const bool is_long = model->types[i] == INT64;
    const size_t width = is_long ? sizeof(int64_t) : sizeof(int32_t);
    started->copies[i] = calloc(count + 1, width);
    if (started->copies[i] == NULL) {
      cr_run_free(started);
      return CR_NO_MEMORY;
    }
    for (size_t k = 0; k < count; k++) {
      const int64_t value = values[i * count + k];
      if (is_long) {
        ((int64_t *)started->copies[i])[k] = value;
      } else {
        ((int32_t *)started->copies[i])[k] = (int32_t)value;
      }
    }
    has_inputs = add_input(started, started->copies[i], count * width, shape, 2, model->types[i],
                           message, capacity);
  }
  return start(started, has_inputs, run, message, capacity);
}

int32_t cr_run_wait(cr_run *run, char *message, size_t capacity) {
  if (run->remote != NULL) return cr_remote_wait(run->remote, message, capacity);
  struct timespec until;
  clock_gettime(WAIT_CLOCK, &until);
  until.tv_nsec += 3000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&run->lock);
  while (!run->is_done &&
         pthread_cond_timedwait(&run->change, &run->lock, &until) != ETIMEDOUT) {
  }
  const bool is_done = run->is_done;
  pthread_mutex_unlock(&run->lock);
  if (!is_done) return CR_MORE;
  ort_status *const status = run->status;
  run->status = NULL;
  if (succeeded(status, message, capacity)) return CR_OK;
  return run->is_stopped ? CR_STOPPED : CR_REFUSED;
}

void cr_run_stop(cr_run *run) {
  if (run->remote != NULL) {
    cr_remote_stop(run->remote);
    return;
  }
  run->is_stopped = true;
  (void)succeeded(ort.RunOptionsSetTerminate(run->options), NULL, 0);
}

const float *cr_run_output(cr_run *run, size_t *count, int64_t *shape, int32_t *rank) {
  if (run->remote != NULL) return cr_remote_output(run->remote, count, shape, rank);
  ort_object *info = NULL;
  void *values = NULL;
  if (run->output == NULL ||
      !succeeded(ort.GetTensorTypeAndShape(run->output, &info), NULL, 0)) {
    return NULL;
  }
  int type = 0;
  *rank = tensor_shape(info, shape, &type);
  const bool is_half = type == HALF;
  const bool is_read = *rank >= 0 && (is_half || type == FLOAT) &&
                       succeeded(ort.GetTensorShapeElementCount(info, count), NULL, 0) &&
                       succeeded(ort.GetTensorMutableData(run->output, &values), NULL, 0);
  ort.ReleaseTensorTypeAndShapeInfo(info);
  if (!is_read || !is_half) return is_read ? values : NULL;
  const uint16_t *const halves = values;
  if (run->widened == NULL) run->widened = calloc(*count + 1, sizeof *run->widened);
  if (run->widened == NULL) return NULL;
  for (size_t i = 0; i < *count; i++) run->widened[i] = from_half(halves[i]);
  return run->widened;
}

void cr_run_free(cr_run *run) {
  if (run == NULL) return;
  if (run->remote != NULL) {
    cr_remote_free(run->remote);
    free(run);
    return;
  }
  if (run->is_running) {
    pthread_mutex_lock(&run->lock);
    const bool is_done = run->is_done;
    pthread_mutex_unlock(&run->lock);
    if (!is_done) cr_run_stop(run);
    pthread_join(run->thread, NULL);
  }
  release(run);
}

void cr_run_abandon(cr_run *run, float *values) {
  pthread_mutex_lock(&run->lock);
  const bool is_done = run->is_done;
  run->values = values;
  if (!is_done) {
    run->is_abandoned = true;
    atomic_fetch_add(&run->model->abandoned, 1);
    pthread_detach(run->thread);
  }
  pthread_mutex_unlock(&run->lock);
  if (is_done) cr_run_free(run);
}

int32_t cr_model_abandoned(cr_model *model) { return atomic_load(&model->abandoned); }

// Frees a run whose thread has ended, or ends with this call.
static void release(cr_run *run) {
  if (run->status != NULL) ort.ReleaseStatus(run->status);
  if (run->output != NULL) ort.ReleaseValue(run->output);
  for (size_t i = 0; i < CR_INPUT_LIMIT; i++) {
    if (run->inputs[i] != NULL) ort.ReleaseValue(run->inputs[i]);
    free(run->copies[i]);
  }
  if (run->options != NULL) ort.ReleaseRunOptions(run->options);
  pthread_cond_destroy(&run->change);
  pthread_mutex_destroy(&run->lock);
  free(run->widened);
  free(run->values);
  free(run);
}
