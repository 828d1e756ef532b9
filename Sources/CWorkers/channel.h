// The messages between a program and its workers. Both are the same program, so their layout is that of C.
#ifndef CHANNEL_H
#define CHANNEL_H

#include "CWorkers.h"

enum {
  CW_SOCKET = 3,  // the descriptors that a worker finds
  CW_MEMORY = 4,
  CW_MAGIC = 0x76715731,
  CW_PAGE = 4096,
};

// The first message to a worker.
typedef struct {
  uint32_t magic, kind;
  uint64_t data_bytes;
} cw_start_message;

// The first message of a worker.
typedef struct {
  uint32_t magic;
  uint32_t libraries;  // a bit for each
  uint32_t is_filtered;
} cw_hello;

typedef struct {
  uint32_t magic, is_cancelled;
  uint64_t number;  // of the job
  cw_request request;
} cw_request_message;

typedef struct {
  uint32_t magic;
  uint64_t number;  // of the job that it answers
  cw_answer answer;
} cw_answer_message;

// The place of the outcome behind the bytes of a job.
static inline uint64_t cw_output_place(uint64_t input_count) {
  return (input_count + CW_PAGE - 1) / CW_PAGE * CW_PAGE;
}

// Receives a message without waiting. Returns its size, or -1 if there is none or if it has another size; 0 at the end.
int64_t cw_receive(int socket, void *message, size_t size);

// Checks an answer as that of a stranger, and cleans its text.
bool cw_check(cw_answer_message *message, uint64_t number, const cw_request *request);

// Takes from a worker the rights that libraries do not need. Returns whether the kernel restricts its calls from now on.
bool cw_restrict(void);

#endif
