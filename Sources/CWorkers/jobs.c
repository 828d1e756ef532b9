// The jobs of a program's threads.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

static const char *const names[CW_LIBRARY_COUNT] = {"libwebp", "libheif", "libheif",
                                                    "giflib",  "zbar",    "ONNX Runtime"};

#ifdef __linux__

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
  // The milliseconds of a wait.
  STEP = 3,
  // The starts in a row that have failed if no further one is waited for.
  FAILED_STARTS = 3,
  // The milliseconds that a job waits for a worker.
  LONGEST_WAIT = 10000,
  // The milliseconds that a library has to end when its job is given up; a process of models takes longer to start again.
  GRACE = 50,
  MODEL_GRACE = 2000,
  // The jobs after which a worker is replaced by a fresh one.
  JOBS = 2000,
  // The bytes of memory that an idle worker keeps.
  KEPT_BYTES = 8 << 20,
};

cw_pool cw_pools[CW_KIND_COUNT] = {{.lock = PTHREAD_MUTEX_INITIALIZER, .alarm = -1},
                                   {.lock = PTHREAD_MUTEX_INITIALIZER, .alarm = -1}};

static cw_pool *pool_of(uint32_t library) {
  return &cw_pools[library == CW_ONNX ? CW_MODELS : CW_IMAGES];
}

struct cw_job {
  cw_pool *pool;
  cw_request request;
  const uint8_t *input;
  cw_worker *worker;
  uint64_t number, begin;
  cw_end end;
  bool is_over, is_failed;
};

static void say(char *message, size_t capacity, const char *text) {
  (void)snprintf(message, capacity, "%s", text);
}

// Copies the words of the options: those for a worker, and the path behind them.
static bool copy_words(cw_pool *pool, const cw_options *options) {
  pool->options = *options;
  pool->words = calloc(options->argument_count + 1, sizeof *pool->words);
  if (pool->words == NULL) return false;
  bool is_copied = true;
  for (uint32_t i = 0; i < options->argument_count; i++) {
    pool->words[i] = strdup(options->arguments[i]);
    is_copied = is_copied && pool->words[i] != NULL;
  }
  char **const path = &pool->words[options->argument_count];
  if (options->path != NULL) *path = strdup(options->path);
  pool->options.arguments = (const char *const *)pool->words;
  pool->options.path = *path;
  return is_copied && (options->path == NULL) == (*path == NULL);
}

static void free_words(cw_pool *pool) {
  for (uint32_t i = 0; pool->words != NULL && i <= pool->options.argument_count; i++) {
    free(pool->words[i]);
  }
  free(pool->words);
  pool->words = NULL;
}

static bool start_pool(cw_pool *pool, const cw_options *options) {
  if (!copy_words(pool, options)) return false;
  pool->count = options->count < 1                 ? 1
                : options->count > CW_WORKER_LIMIT ? CW_WORKER_LIMIT
                                                   : options->count;
  for (uint32_t i = 0; i < pool->count; i++) pool->workers[i].state = EMPTY;
  pool->is_stopping = false;
  pool->failed_starts = 0;
  pool->next_start = 0;
  pool->libraries = 0;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&pool->change, &attributes);
  pthread_condattr_destroy(&attributes);
  pool->alarm = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (pool->alarm < 0) return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pool->is_on = pthread_create(&pool->keeper, NULL, cw_keep, pool) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return pool->is_on;
}

static struct timespec after(uint64_t milliseconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(milliseconds * 1000000);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  return until;
}

bool cw_start(const cw_options *options, char *message, size_t capacity) {
  cw_pool *const pool = &cw_pools[options->kind];
  if (pool->is_on || !start_pool(pool, options)) {
    say(message, capacity, "no thread can be started");
    return false;
  }
  pthread_mutex_lock(&pool->lock);
  bool has_one = false;
  while (!has_one && pool->failed_starts < FAILED_STARTS) {
    const struct timespec until = after(STEP);
    (void)pthread_cond_timedwait(&pool->change, &pool->lock, &until);
    for (uint32_t i = 0; i < pool->count; i++) has_one = has_one || pool->workers[i].state == IDLE;
  }
  pthread_mutex_unlock(&pool->lock);
  if (has_one) return true;
  cw_stop(options->kind);
  say(message, capacity, "the program cannot be started a second time: is there /proc?");
  return false;
}

void cw_stop(cw_kind kind) {
  cw_pool *const pool = &cw_pools[kind];
  if (!pool->is_on) return;
  pthread_mutex_lock(&pool->lock);
  pool->is_stopping = true;
  pthread_mutex_unlock(&pool->lock);
  cw_wake(pool);
  pthread_join(pool->keeper, NULL);
  pool->is_on = false;
  (void)close(pool->alarm);
  pool->alarm = -1;
  pthread_cond_destroy(&pool->change);
  free_words(pool);
}

bool cw_is_on(cw_kind kind) { return cw_pools[kind].is_on; }

bool cw_has(cw_library library) { return (pool_of(library)->libraries & 1U << library) != 0; }

bool cw_is_filtered(cw_kind kind) { return cw_pools[kind].is_filtered; }

uint64_t cw_restarts(cw_library library, cw_end end) {
  cw_pool *const pool = pool_of(library);
  pthread_mutex_lock(&pool->lock);
  const uint64_t count = pool->restarts[library][end];
  pthread_mutex_unlock(&pool->lock);
  return count;
}

uint32_t cw_worker_count(cw_kind kind) {
  cw_pool *const pool = &cw_pools[kind];
  uint32_t count = 0;
  pthread_mutex_lock(&pool->lock);
  for (uint32_t i = 0; pool->is_on && i < pool->count; i++) {
    const cw_state state = pool->workers[i].state;
    count += state == IDLE || state == BUSY || state == DRAINING;
  }
  pthread_mutex_unlock(&pool->lock);
  return count;
}

// Takes an idle worker if there is one, or waits for it for some milliseconds.
static cw_worker *take(cw_job *job, bool waits) {
  cw_pool *const pool = job->pool;
  cw_worker *taken = NULL;
  bool has_waited = !waits;
  pthread_mutex_lock(&pool->lock);
  while (taken == NULL) {
    for (uint32_t i = 0; taken == NULL && i < pool->count; i++) {
      if (pool->workers[i].state == IDLE) taken = &pool->workers[i];
    }
    if (taken != NULL || has_waited) break;
    const struct timespec until = after(STEP);
    has_waited = pthread_cond_timedwait(&pool->change, &pool->lock, &until) != 0;
  }
  if (taken != NULL) {
    taken->state = BUSY;
    taken->number = job->number = ++pool->next_number;
    taken->jobs++;
  }
  pthread_mutex_unlock(&pool->lock);
  return taken;
}

static void condemn(cw_pool *pool, cw_worker *worker, cw_end end) {
  pthread_mutex_lock(&pool->lock);
  cw_condemn(pool, worker, end, true);
  pthread_mutex_unlock(&pool->lock);
  cw_wake(pool);
}

// Gives a job to a worker. One that had died, or said something unasked, is replaced, and the job waits for another.
static bool begin(cw_job *job, bool waits) {
  cw_worker *const worker = take(job, waits);
  if (worker == NULL) return false;
  uint8_t unasked = 0;
  const int64_t count = cw_receive(worker->socket, &unasked, sizeof unasked);
  if (count >= 0) {
    condemn(job->pool, worker, count == 0 ? CW_CRASHED : CW_NONSENSE);
    return false;
  }
  worker->library = (cw_library)job->request.library;
  if (job->request.input_count > 0) memcpy(worker->memory, job->input, job->request.input_count);
  const cw_request_message message = {
      .magic = CW_MAGIC, .number = job->number, .request = job->request};
  if (send(worker->socket, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT) !=
      (ssize_t)sizeof message) {
    condemn(job->pool, worker, CW_CRASHED);
    return false;
  }
  job->worker = worker;
  return true;
}

static int32_t fail(cw_job *job, cw_answer *answer, cw_end end, const char *reason) {
  job->is_failed = true;
  job->end = end;
  memset(answer, 0, sizeof *answer);
  (void)snprintf(answer->message, sizeof answer->message, reason, names[job->request.library]);
  return CW_FAILED;
}

static bool fits(const cw_job *job) {
  const cw_request *const request = &job->request;
  const uint64_t most = job->pool->options.memory_bytes;
  return request->input_count <= most && cw_output_place(request->input_count) <= most &&
         request->output_capacity <= most - cw_output_place(request->input_count);
}

cw_job *cw_job_open(const cw_request *request, const uint8_t *input) {
  cw_job *const job = calloc(1, sizeof *job);
  if (job == NULL) return NULL;
  job->request = *request;
  job->input = input;
  job->pool = pool_of(request->library);
  job->begin = cw_now();
  if (fits(job)) (void)begin(job, false);
  return job;
}

// Returns whether workers do not start any more.
static bool is_hopeless(cw_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  const bool is_hopeless = pool->failed_starts >= FAILED_STARTS;
  pthread_mutex_unlock(&pool->lock);
  return is_hopeless;
}

int32_t cw_job_wait(cw_job *job, cw_answer *answer) {
  if (job->is_failed) return fail(job, answer, job->end, "the process of %s has ended");
  if (job->worker == NULL) {
    if (!fits(job)) {
      memset(answer, 0, sizeof *answer);
      say(answer->message, sizeof answer->message, "it needs more memory than a process of a library has");
      return CW_TOO_LARGE;
    }
    if (!begin(job, true)) {
      if (!is_hopeless(job->pool) && cw_now() - job->begin < LONGEST_WAIT) return CW_MORE;
      (void)fail(job, answer, CW_STOPPED, "no process of %s is free");
      return CW_TOO_LARGE;
    }
  }
  struct pollfd event = {.fd = job->worker->socket, .events = POLLIN};
  (void)poll(&event, 1, STEP);
  cw_answer_message message;
  const int64_t count = cw_receive(job->worker->socket, &message, sizeof message);
  if (count < 0) return CW_MORE;
  if (count == 0) return fail(job, answer, CW_CRASHED, "%s crashed");
  if (count != sizeof message || !cw_check(&message, job->number, &job->request)) {
    return fail(job, answer, CW_NONSENSE, "the process of %s answered nonsense");
  }
  job->is_over = message.answer.is_last != 0;
  *answer = message.answer;
  return CW_OK;
}

const uint8_t *cw_job_output(const cw_job *job) {
  return job->worker->memory + cw_output_place(job->request.input_count);
}

void cw_job_reject(cw_job *job) {
  job->is_failed = true;
  job->end = CW_NONSENSE;
}

// Returns what a large job took to the system.
static void trim(const cw_job *job) {
  const uint64_t used = cw_output_place(
      cw_output_place(job->request.input_count) + job->request.output_capacity);
  if (used > KEPT_BYTES) {
    (void)madvise(job->worker->memory + KEPT_BYTES, used - KEPT_BYTES, MADV_REMOVE);
  }
}

// Tells a worker that its job was given up. Returns whether it may still end by itself.
static bool cancel(const cw_job *job) {
  const cw_request_message message = {
      .magic = CW_MAGIC, .is_cancelled = 1, .number = job->number};
  return send(job->worker->socket, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
         (ssize_t)sizeof message;
}

void cw_job_close(cw_job *job) {
  if (job == NULL) return;
  cw_pool *const pool = job->pool;
  cw_worker *const worker = job->worker;
  if (worker != NULL) {
    const bool is_healthy = !job->is_failed;
    const bool may_drain = is_healthy && !job->is_over && cancel(job);
    if (is_healthy && job->is_over) trim(job);
    pthread_mutex_lock(&pool->lock);
    if (!is_healthy) {
      cw_condemn(pool, worker, job->end, true);
    } else if (!job->is_over) {
      worker->state = DRAINING;
      worker->until = !may_drain ? 0 : cw_now() + (worker->library == CW_ONNX ? MODEL_GRACE : GRACE);
    } else if (worker->jobs >= JOBS) {
      cw_condemn(pool, worker, CW_STOPPED, false);
    } else {
      worker->state = IDLE;
      pthread_cond_signal(&pool->change);
    }
    const bool is_kept = worker->state == IDLE;
    pthread_mutex_unlock(&pool->lock);
    if (!is_kept) cw_wake(pool);
  }
  free(job);
}

#else

bool cw_start(const cw_options *options, char *message, size_t capacity) {
  (void)options;
  (void)snprintf(message, capacity, "only Linux has what it needs");
  return false;
}
void cw_stop(cw_kind kind) { (void)kind; }
bool cw_is_on(cw_kind kind) { return (void)kind, false; }
bool cw_has(cw_library library) { return (void)library, false; }
bool cw_is_filtered(cw_kind kind) { return (void)kind, false; }
uint64_t cw_restarts(cw_library library, cw_end end) { return (void)library, (void)end, 0; }
uint32_t cw_worker_count(cw_kind kind) { return (void)kind, 0; }
cw_job *cw_job_open(const cw_request *request, const uint8_t *input) {
  return (void)request, (void)input, (void)names, NULL;
}
int32_t cw_job_wait(cw_job *job, cw_answer *answer) { return (void)job, (void)answer, CW_FAILED; }
const uint8_t *cw_job_output(const cw_job *job) { return (void)job, NULL; }
void cw_job_reject(cw_job *job) { (void)job; }
void cw_job_close(cw_job *job) { (void)job; }

#endif
