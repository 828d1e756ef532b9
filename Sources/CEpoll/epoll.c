#include "CEpoll.h"

#include <sys/eventfd.h>

int32_t ce_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

int32_t ce_control(int32_t poller, int32_t operation, int32_t file, uint32_t interest, uint64_t id) {
  struct epoll_event event = {.events = interest, .data.u64 = id};
  return epoll_ctl(poller, operation, file, &event);
}

int32_t ce_wait(int32_t poller, ce_event *events, int32_t capacity, int32_t milliseconds) {
  struct epoll_event raw[CE_BATCH];
  const int32_t count = epoll_wait(poller, raw, capacity < CE_BATCH ? capacity : CE_BATCH, milliseconds);
  for (int32_t i = 0; i < count; i++) {
    events[i] = (ce_event){.id = raw[i].data.u64, .interest = raw[i].events};
  }
  return count;
}

int32_t ce_wakeup(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// Neither call can fail for an eventfd of ce_wakeup: a full counter is readable, and an empty one is unreadable.
void ce_signal(int32_t wakeup) { eventfd_write(wakeup, 1); }

void ce_clear(int32_t wakeup) {
  eventfd_t count;
  eventfd_read(wakeup, &count);
}
