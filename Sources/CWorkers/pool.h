// The workers of a program.
#ifndef POOL_H
#define POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "channel.h"

typedef enum {
  EMPTY,     // to be started
  STARTING,  // it has not yet said what it can do
  IDLE,
  BUSY,      // it belongs to a job
  DRAINING,  // its job was given up, and it may still end
  DEAD,      // to be killed
} cw_state;

typedef struct {
  cw_state state;
  pid_t process;
  int socket;
  uint8_t *memory;
  uint64_t number;  // of its last job
  uint32_t jobs;    // the number of its jobs
  cw_library library;  // of its last job
  cw_end end;          // why it is dead
  bool is_counted;     // whether its end is a fault
  uint64_t until;      // the time at which a state ends that lasts too long
} cw_worker;

// Everything but the memory of a busy worker, which belongs to its job, is protected by the lock. Workers that are EMPTY or DEAD belong
// to the keeper.
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t change;  // of a worker that becomes idle
  atomic_bool is_on, is_filtered;
  bool is_stopping;
  cw_options options;
  char **words;  // what options points to
  cw_worker workers[CW_WORKER_LIMIT];
  uint32_t count;
  atomic_uint libraries;
  uint32_t failed_starts;  // in a row
  uint64_t next_start;
  uint64_t next_number;
  uint64_t restarts[CW_LIBRARY_COUNT][CW_END_COUNT];
  int alarm;  // an eventfd that wakes the keeper
  pthread_t keeper;
} cw_pool;

extern cw_pool cw_pools[CW_KIND_COUNT];

// The time in milliseconds.
uint64_t cw_now(void);

// Starts a worker, which is EMPTY. Returns false if that fails.
bool cw_spawn(cw_worker *worker, const cw_options *options);

// Kills a worker, which is DEAD, and frees what it had.
void cw_bury(cw_worker *worker, uint64_t memory_bytes);

// The thread of a pool that starts, watches and buries workers. It alone starts them, since a worker ends with the thread that started it.
void *cw_keep(void *pool);

// Wakes the keeper.
void cw_wake(cw_pool *pool);

// Marks a worker as dead. The lock is held.
void cw_condemn(cw_pool *pool, cw_worker *worker, cw_end end, bool is_counted);

#endif
