// The side of a worker.

#include "channel.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum {
  // The seconds after which a worker ends itself, whoever waits for it.
  LONGEST_JOB = 120,
  // The bytes that a worker may allocate besides what its job may: stacks of threads, and what allocators keep.
  OWN_BYTES = 64 << 20,
  // The bytes that a worker takes from the start if the system does not tell.
  USUAL_BYTES = 256 << 20,
  FILE_LIMIT = 64,
};

static struct {
  cw_load load;
  cw_work work;
} registered[CW_LIBRARY_COUNT];

struct cw_turn {
  uint64_t number;
  bool is_over;
};

void cw_register(cw_library library, cw_load load, cw_work work) {
  registered[library].load = load;
  registered[library].work = work;
}

void cw_say(cw_turn *turn, const cw_answer *answer) {
  cw_answer_message message;
  memset(&message, 0, sizeof message);
  message.magic = CW_MAGIC;
  message.number = turn->number;
  message.answer = *answer;
  turn->is_over = answer->is_last != 0;
  if (send(CW_SOCKET, &message, sizeof message, MSG_NOSIGNAL) < 0) _exit(0);
}

bool cw_is_cancelled(cw_turn *turn) {
  cw_request_message message;
  const int64_t count = cw_receive(CW_SOCKET, &message, sizeof message);
  if (count == 0) _exit(0);
  return count == sizeof message && message.is_cancelled != 0 && message.number == turn->number;
}

// Receives a message, however long it takes. The worker ends if the program does.
static void receive(void *message, size_t size) {
  for (;;) {
    const ssize_t count = recv(CW_SOCKET, message, size, 0);
    if (count == (ssize_t)size) return;
    if (count < 0 && errno == EINTR) continue;
    _exit(0);
  }
}

static bool limit(__rlimit_resource_t resource, rlim_t soft, rlim_t hard) {
  const struct rlimit value = {.rlim_cur = soft, .rlim_max = hard};
  return setrlimit(resource, &value) == 0;
}

// Returns the bytes of data that the process has, as RLIMIT_DATA counts them.
static uint64_t own_bytes(void) {
  unsigned long pages = 0;
  FILE *const file = fopen("/proc/self/statm", "re");
  const bool is_read = file != NULL && fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) == 1;
  if (file != NULL) (void)fclose(file);
  return is_read ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : USUAL_BYTES;
}

// Makes the kernel choose workers first if the system has no memory left.
static void prefer_to_end(void) {
  const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  (void)!write(file, "500", 3);
  (void)close(file);
}

// The program decides when a worker ends, also if a signal is sent to all processes of a service or a terminal.
static void prepare_process(void) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  (void)prctl(PR_SET_NAME, "vq worker");
  const int ignored[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) (void)signal(ignored[i], SIG_IGN);
  // Every file of the program is closed at its start, unless somebody forgot one.
#ifdef SYS_close_range
  (void)syscall(SYS_close_range, CW_MEMORY + 1, ~0U, 0);
#endif
  (void)limit(RLIMIT_CORE, 0, 0);
  prefer_to_end();
}

// Ends the process by a signal if a job takes too long; the program is usually faster.
static void watch(time_t seconds) {
  const struct itimerval time = {.it_value = {.tv_sec = seconds}};
  (void)setitimer(ITIMER_REAL, &time, NULL);
}

static void work(uint8_t *memory, uint64_t size, uint64_t own, uint64_t most) {
  cw_request_message message;
  receive(&message, sizeof message);
  if (message.is_cancelled != 0) return;  // It is over already.
  const cw_request *const request = &message.request;
  const uint64_t place = cw_output_place(request->input_count);
  if (message.magic != CW_MAGIC || request->library >= CW_LIBRARY_COUNT ||
      registered[request->library].work == NULL || request->input_count > size || place > size ||
      request->output_capacity > size - place) {
    _exit(1);
  }
  const uint64_t bytes = own + OWN_BYTES + request->memory_limit;
  (void)limit(RLIMIT_DATA, bytes < most ? bytes : most, most);
  cw_turn turn = {.number = message.number};
  watch(LONGEST_JOB);
  registered[request->library].work(&turn, request, memory, memory + place);
  watch(0);
  if (!turn.is_over) _exit(1);
}

bool cw_worker_run(void) {
  int type = 0;
  socklen_t length = sizeof type;
  struct stat status;
  if (getsockopt(CW_SOCKET, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_SEQPACKET ||
      fstat(CW_MEMORY, &status) != 0 || status.st_size <= 0) {
    return false;
  }
  prepare_process();
  cw_start_message start;
  receive(&start, sizeof start);
  if (start.magic != CW_MAGIC) return false;
  const uint64_t size = (uint64_t)status.st_size;
  uint8_t *const memory =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, CW_MEMORY, 0);
  if (memory == MAP_FAILED) return false;
  (void)close(CW_MEMORY);
  cw_hello hello = {.magic = CW_MAGIC};
  for (uint32_t i = 0; i < CW_LIBRARY_COUNT; i++) {
    if ((start.kind == CW_MODELS) != (i == CW_ONNX)) continue;
    if (registered[i].load != NULL && registered[i].load((cw_library)i)) hello.libraries |= 1U << i;
  }
  const uint64_t own = own_bytes();
  const uint64_t most = own + OWN_BYTES + start.data_bytes;
  const bool is_limited = limit(RLIMIT_DATA, most, most);
  (void)limit(RLIMIT_FSIZE, 0, 0);
  (void)limit(RLIMIT_NOFILE, FILE_LIMIT, FILE_LIMIT);
  hello.is_filtered = cw_restrict() && is_limited;
  if (send(CW_SOCKET, &hello, sizeof hello, MSG_NOSIGNAL) < 0) _exit(0);
  for (;;) work(memory, size, own, most);
}

#else

void cw_register(cw_library library, cw_load load, cw_work work) {
  (void)library, (void)load, (void)work;
}
void cw_say(cw_turn *turn, const cw_answer *answer) { (void)turn, (void)answer; }
bool cw_is_cancelled(cw_turn *turn) { return (void)turn, false; }
bool cw_worker_run(void) { return false; }

#endif
