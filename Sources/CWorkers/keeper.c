// The thread that keeps as many workers ready as there should be.

#include "pool.h"

#ifdef __linux__

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum {
  // The milliseconds that a start may take.
  START_LIMIT = 20000,
  MODEL_START_LIMIT = 120000,
  // The milliseconds to the next start after one that failed, doubled each time.
  FIRST_PAUSE = 50,
  LONGEST_PAUSE = 5000,
  // The milliseconds between looks at everything.
  ROUND = 1000,
};

uint64_t cw_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

void cw_wake(cw_pool *pool) {
  const uint64_t one = 1;
  (void)!write(pool->alarm, &one, sizeof one);
}

void cw_condemn(cw_pool *pool, cw_worker *worker, cw_end end, bool is_counted) {
  worker->state = DEAD;
  worker->end = end;
  if (is_counted) pool->restarts[worker->library][end]++;
}

static void fail_start(cw_pool *pool) {
  const uint32_t doublings = pool->failed_starts < 7 ? pool->failed_starts : 7;
  const uint64_t pause = (uint64_t)FIRST_PAUSE << doublings;
  pool->failed_starts++;
  pool->next_start = cw_now() + (pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE);
}

static void greet(cw_pool *pool, cw_worker *worker) {
  cw_hello hello;
  const int64_t count = cw_receive(worker->socket, &hello, sizeof hello);
  if (count < 0 && cw_now() < worker->until) return;
  // A file of a model that has changed since it was checked is not opened.
  const bool is_able = pool->options.kind != CW_MODELS || (hello.libraries & 1U << CW_ONNX) != 0;
  if (count != sizeof hello || hello.magic != CW_MAGIC || !is_able) {
    cw_condemn(pool, worker, CW_CRASHED, false);
    fail_start(pool);
    return;
  }
  pool->libraries = hello.libraries;
  pool->is_filtered = hello.is_filtered != 0;
  pool->failed_starts = 0;
  worker->state = IDLE;
  pthread_cond_broadcast(&pool->change);
}

// Waits for the last answer of a job that was given up.
static void drain(cw_pool *pool, cw_worker *worker) {
  cw_answer_message message;
  const int64_t count = cw_receive(worker->socket, &message, sizeof message);
  if (count < 0) {
    if (cw_now() >= worker->until) cw_condemn(pool, worker, CW_STOPPED, true);
    return;
  }
  if (count != sizeof message || message.magic != CW_MAGIC || message.number != worker->number) {
    cw_condemn(pool, worker, count == 0 ? CW_CRASHED : CW_NONSENSE, true);
  } else if (message.answer.is_last != 0) {
    worker->state = IDLE;
    pthread_cond_broadcast(&pool->change);
  }
}

// Looks at a worker that belongs to no job. The lock is held.
static void look(cw_pool *pool, cw_worker *worker, short events) {
  switch (worker->state) {
    case STARTING: greet(pool, worker); break;
    case DRAINING: drain(pool, worker); break;
    // It may have answered a job since, but nobody hangs up and goes on.
    case IDLE:
      if ((events & (POLLHUP | POLLERR)) != 0) cw_condemn(pool, worker, CW_CRASHED, true);
      break;
    default: break;
  }
}

// Buries the dead and starts others in their place. The lock is held, but not while that takes time.
static void replace(cw_pool *pool, cw_worker *worker) {
  if (worker->state == DEAD) {
    pthread_mutex_unlock(&pool->lock);
    cw_bury(worker, pool->options.memory_bytes);
    pthread_mutex_lock(&pool->lock);
    worker->state = EMPTY;
  }
  if (worker->state != EMPTY || pool->is_stopping || cw_now() < pool->next_start) return;
  pthread_mutex_unlock(&pool->lock);
  const bool has_started = cw_spawn(worker, &pool->options);
  pthread_mutex_lock(&pool->lock);
  if (has_started) {
    worker->state = STARTING;
    worker->until =
        cw_now() + (pool->options.kind == CW_MODELS ? MODEL_START_LIMIT : START_LIMIT);
  } else {
    fail_start(pool);
  }
}

static void wait_for_events(cw_pool *pool, struct pollfd *events) {
  const uint32_t count = pool->count;
  int64_t pause = ROUND;
  const uint64_t now = cw_now();
  for (uint32_t i = 0; i < count; i++) {
    const cw_worker *const worker = &pool->workers[i];
    const bool is_watched =
        worker->state == STARTING || worker->state == IDLE || worker->state == DRAINING;
    // An idle worker says nothing; events of hanging up come unasked.
    events[i] = (struct pollfd){.fd = is_watched ? worker->socket : -1,
                                .events = worker->state == IDLE ? 0 : POLLIN};
    const bool is_timed = worker->state == DRAINING || worker->state == EMPTY;
    const uint64_t end = worker->state == EMPTY ? pool->next_start : worker->until;
    const int64_t rest = end > now ? (int64_t)(end - now) + 1 : 1;
    if (is_timed && rest < pause) pause = rest;
    if (worker->state == DEAD) pause = 0;
  }
  events[count] = (struct pollfd){.fd = pool->alarm, .events = POLLIN};
  pthread_mutex_unlock(&pool->lock);
  (void)poll(events, count + 1, (int)pause);
  uint64_t alarms = 0;
  if ((events[count].revents & POLLIN) != 0) (void)!read(pool->alarm, &alarms, sizeof alarms);
  pthread_mutex_lock(&pool->lock);
}

void *cw_keep(void *argument) {
  cw_pool *const pool = argument;
  struct pollfd events[CW_WORKER_LIMIT + 1];
  pthread_mutex_lock(&pool->lock);
  while (!pool->is_stopping) {
    for (uint32_t i = 0; i < pool->count; i++) replace(pool, &pool->workers[i]);
    wait_for_events(pool, events);
    for (uint32_t i = 0; i < pool->count; i++) {
      if (events[i].fd == pool->workers[i].socket) look(pool, &pool->workers[i], events[i].revents);
    }
  }
  for (uint32_t i = 0; i < pool->count; i++) {
    if (pool->workers[i].state != EMPTY) pool->workers[i].state = DEAD;
    replace(pool, &pool->workers[i]);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

#endif
