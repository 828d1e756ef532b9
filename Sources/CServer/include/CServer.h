// What the server needs of C: epoll, whose headers Swift's Glibc module leaves out, and the files that
// it serves, as bytes of the program.
#ifndef CSERVER_H
#define CSERVER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

// ---- Waiting: events whose data is always a number ------------------------------------------------

typedef struct {
  uint64_t id;
  uint32_t interest;
} cs_event;

enum : uint32_t {
  CS_READ = EPOLLIN,
  CS_WRITE = EPOLLOUT,
  CS_HANG_UP = EPOLLRDHUP,
  CS_GONE = EPOLLHUP | EPOLLERR,
};

enum : int32_t {
  CS_ADD = EPOLL_CTL_ADD,
  CS_CHANGE = EPOLL_CTL_MOD,
  CS_REMOVE = EPOLL_CTL_DEL,
  CS_BATCH = 256,
};

static inline int32_t cs_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int32_t cs_control(int32_t poller, int32_t operation, int32_t file, uint32_t interest,
                                 uint64_t id) {
  struct epoll_event event = {.events = interest, .data.u64 = id};
  return epoll_ctl(poller, operation, file, &event);
}

// Waits for at most CS_BATCH events and writes them to `events`, which has room for `capacity`.
static inline int32_t cs_wait(int32_t poller, cs_event *events, int32_t capacity,
                              int32_t milliseconds) {
  struct epoll_event raw[CS_BATCH];
  const int32_t count =
      epoll_wait(poller, raw, capacity < CS_BATCH ? capacity : CS_BATCH, milliseconds);
  for (int32_t i = 0; i < count; i++) {
    events[i] = (cs_event){.id = raw[i].data.u64, .interest = raw[i].events};
  }
  return count;
}

static inline int32_t cs_wakeup(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// ---- Files ----------------------------------------------------------------------------------------

typedef struct {
  const uint8_t *bytes;
  size_t count;
} cs_file;

cs_file cs_index_html(void);
cs_file cs_page_css(void);
cs_file cs_page_js(void);
cs_file cs_openapi_json(void);

#endif
