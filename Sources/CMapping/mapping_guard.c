#include "CMapping.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

// ---- The ranges -------------------------------------------------------------------------------
//
// Ranges are kept in linked blocks that are never freed, so that the handler can traverse them
// without a lock. Writers take `lock`. `version` is odd while a writer changes a range, and differs
// after each change: the handler uses the fields of a range only if the version before and after
// reading them is the same even number.
//
// Sound: a thread faults in a range that it is reading, and that range is neither changed nor
// released meanwhile (see `cm_release`). Its version is even and constant, so the handler always
// finds it. A range that changes meanwhile is a different one and can be skipped.

struct cm_range {
  _Atomic(uint64_t) version;
  _Atomic(uintptr_t) start;
  _Atomic(uintptr_t) end;  // 0 for a free range
  _Atomic(int) protection;
  _Atomic(bool) is_damaged;
};

enum { RANGES_A_BLOCK = 64 };
typedef struct block {
  cm_range ranges[RANGES_A_BLOCK];
  _Atomic(struct block *) next;
} block;

static block first_block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_installed;
static struct sigaction former;
static uintptr_t page_size;

static void set(cm_range *range, uintptr_t start, uintptr_t end, int protection) {
  atomic_fetch_add(&range->version, 1);
  atomic_store(&range->start, start);
  atomic_store(&range->end, end);
  atomic_store(&range->protection, protection);
  atomic_store(&range->is_damaged, false);
  atomic_fetch_add(&range->version, 1);
}

static cm_range *free_range(void) {
  for (block *here = &first_block;; here = atomic_load(&here->next)) {
    for (int i = 0; i < RANGES_A_BLOCK; i++) {
      if (atomic_load(&here->ranges[i].end) == 0) return &here->ranges[i];
    }
    if (atomic_load(&here->next) == NULL) {
      block *new_block = calloc(1, sizeof *new_block);
      if (new_block == NULL) return NULL;
      atomic_store(&here->next, new_block);
    }
  }
}

// ---- The handler ------------------------------------------------------------------------------
//
// Sound: it uses only lock-free atomics, `mmap`, `sigaction` and `raise`, and preserves `errno`.

static void *map_zeros(uintptr_t start, uintptr_t end, int protection) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
#if defined(__linux__)
  // The system call itself, because sanitizers interpose `mmap`.
  return (void *)syscall(SYS_mmap, start, end - start, protection, flags, -1, 0L);
#else
  return mmap((void *)start, end - start, protection, flags, -1, 0);
#endif
}

// Replaces the pages from `page` to the end of the range with zeros if the range includes a part of
// `page`; returns whether it does.
//
// Sound: mappings begin and end at page boundaries. So if a range includes a part of the page, it
// lies in the mapping that the faulting thread is reading, and stays mapped while its rest is
// replaced. If two threads fault at once, both write zeros there.
static bool replace_rest(cm_range *range, uintptr_t page) {
  const uint64_t version = atomic_load(&range->version);
  const uintptr_t start = atomic_load(&range->start), end = atomic_load(&range->end);
  const int protection = atomic_load(&range->protection);
  if (version % 2 == 1 || atomic_load(&range->version) != version) return false;
  if (page + page_size <= start || page >= end) return false;
  // Set before the pages are replaced, so that no thread reads zeros from a range that is reported
  // as intact.
  atomic_store(&range->is_damaged, true);
  return map_zeros(page, end, protection) != MAP_FAILED;
}

static bool is_repaired(uintptr_t address) {
  const uintptr_t page = address / page_size * page_size;
  bool is_found = false;
  for (block *here = &first_block; here != NULL; here = atomic_load(&here->next)) {
    for (int i = 0; i < RANGES_A_BLOCK; i++) {
      is_found |= replace_rest(&here->ranges[i], page);
    }
  }
  return is_found;
}

static void pass_on(int number, siginfo_t *info, void *context) {
  if (former.sa_flags & SA_SIGINFO) {
    former.sa_sigaction(number, info, context);
  } else if (former.sa_handler == SIG_DFL ||
             (former.sa_handler == SIG_IGN && info->si_code > 0)) {
    // Restores the default action. A fault happens again at once and then ends the process; a
    // signal that another process sent does not come back, so it is raised again.
    signal(number, SIG_DFL);
    if (info->si_code <= 0) raise(number);
  } else if (former.sa_handler != SIG_IGN) {
    former.sa_handler(number);
  }
}

static void on_bus_error(int number, siginfo_t *info, void *context) {
  const int error = errno;
  // A code of 0 or less means that a process sent the signal; the address is then meaningless.
  if (info->si_code <= 0 || !is_repaired((uintptr_t)info->si_addr)) {
    pass_on(number, info, context);
  }
  errno = error;
}

static bool install(void) {
  if (is_installed) return true;
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  struct sigaction action = {0};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  // Stored before the handler can run, because the handler reads it.
  if (sigaction(SIGBUS, NULL, &former) != 0) return false;
  is_installed = sigaction(SIGBUS, &action, NULL) == 0;
  return is_installed;
}

// ---- Guarding ---------------------------------------------------------------------------------

cm_range *cm_guard(const void *start, size_t length, int protection) {
  pthread_mutex_lock(&lock);
  cm_range *range = install() ? free_range() : NULL;
  if (range != NULL) {
    const uintptr_t end = ((uintptr_t)start + length + page_size - 1) / page_size * page_size;
    set(range, (uintptr_t)start, end, protection);
  }
  pthread_mutex_unlock(&lock);
  return range;
}

void cm_release(cm_range *range) {
  pthread_mutex_lock(&lock);
  set(range, 0, 0, 0);
  pthread_mutex_unlock(&lock);
}

bool cm_is_damaged(const cm_range *range) { return atomic_load(&range->is_damaged); }
