// Linux's epoll and eventfd, whose headers Swift's Glibc module leaves out. Events carry a number of the caller's.
#ifndef CEPOLL_H
#define CEPOLL_H

#include <stdint.h>
#include <sys/epoll.h>

typedef struct {
  uint64_t id;
  uint32_t interest;
} ce_event;

enum : uint32_t {
  CE_READ = EPOLLIN,
  CE_WRITE = EPOLLOUT,
  CE_HANG_UP = EPOLLRDHUP,
  CE_GONE = EPOLLHUP | EPOLLERR,
};

enum : int32_t {
  CE_ADD = EPOLL_CTL_ADD,
  CE_CHANGE = EPOLL_CTL_MOD,
  CE_REMOVE = EPOLL_CTL_DEL,
  CE_BATCH = 256,
};

// Returns the descriptor of a new poller, or -1 and sets errno.
int32_t ce_open(void);

// Adds, changes or removes the interest in a file. Returns 0, or -1 and sets errno.
int32_t ce_control(int32_t poller, int32_t operation, int32_t file, uint32_t interest, uint64_t id);

// Waits for at most CE_BATCH events and writes them to `events`, which has room for `capacity`. Returns their number, or -1.
int32_t ce_wait(int32_t poller, ce_event *events, int32_t capacity, int32_t milliseconds);

// Returns the descriptor of a new eventfd, or -1 and sets errno.
int32_t ce_wakeup(void);

// Makes an eventfd readable.
void ce_signal(int32_t wakeup);

// Makes it unreadable again, without waiting.
void ce_clear(int32_t wakeup);

#endif
