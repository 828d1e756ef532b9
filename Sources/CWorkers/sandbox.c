// The filter of a worker's calls of the kernel (seccomp), written by hand so that no library is needed.
//
// It permits memory, threads of the own process, clocks, and messages through descriptors that are open. Whatever opens, connects,
// starts or signals something fails with EPERM, so a library that tries merely does without.

#include "channel.h"

#ifdef __linux__

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

static const int permitted[] = {
    SYS_read,          SYS_write,          SYS_readv,           SYS_writev,         SYS_recvmsg,
    SYS_recvfrom,      SYS_sendmsg,        SYS_sendto,          SYS_ppoll,          SYS_close,
    SYS_fstat,         SYS_lseek,          SYS_munmap,          SYS_mremap,         SYS_brk,
    SYS_madvise,       SYS_futex,          SYS_exit,            SYS_exit_group,     SYS_clock_gettime,
    SYS_clock_getres,  SYS_clock_nanosleep, SYS_nanosleep,      SYS_gettimeofday,   SYS_rt_sigreturn,
    SYS_rt_sigaction,  SYS_rt_sigprocmask, SYS_sigaltstack,     SYS_set_robust_list, SYS_rseq,
    SYS_sched_yield,   SYS_sched_getaffinity, SYS_getpid,       SYS_getppid,        SYS_gettid,
    SYS_getrandom,     SYS_setitimer,      SYS_getrusage,       SYS_membarrier,     SYS_getcpu,
    SYS_restart_syscall,
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_time
    SYS_time,
#endif
};

// Calls that are permitted for some values of an argument: if none of `bits` is set, all of `bits` are, or it equals `bits`.
enum condition { NONE_OF, ALL_OF, EQUALS };
static const struct {
  int call, argument;
  enum condition condition;
  uint32_t bits;
} conditional[] = {
    {SYS_mmap, 2, NONE_OF, PROT_EXEC},
    {SYS_mprotect, 2, NONE_OF, PROT_EXEC},
    {SYS_clone, 0, ALL_OF, CLONE_THREAD},
    {SYS_prlimit64, 0, EQUALS, 0},
    {SYS_prctl, 0, EQUALS, PR_SET_NAME},
};

enum { COUNT = sizeof permitted / sizeof *permitted, CONDITIONS = sizeof conditional / sizeof *conditional };

#define LOAD(place) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(place))
#define IF(test, value, then, otherwise) BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(value), then, otherwise)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (uint32_t)(value))

static bool install(void) {
  struct sock_filter code[8 + 2 * COUNT + 6 * CONDITIONS + 6];
  size_t n = 0;
  code[n++] = (struct sock_filter)LOAD(offsetof(struct seccomp_data, arch));
  code[n++] = (struct sock_filter)IF(BPF_JEQ, ARCHITECTURE, 1, 0);
  code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
  code[n++] = (struct sock_filter)LOAD(offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < COUNT; i++) {
    code[n++] = (struct sock_filter)IF(BPF_JEQ, permitted[i], 0, 1);
    code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
  }
  for (size_t i = 0; i < CONDITIONS; i++) {
    code[n++] = (struct sock_filter)IF(BPF_JEQ, conditional[i].call, 0, 5);
    code[n++] = (struct sock_filter)LOAD(offsetof(struct seccomp_data, args) +
                                         sizeof(uint64_t) * (size_t)conditional[i].argument);
    const uint32_t bits = conditional[i].bits;
    // Two results that follow: of a comparison that holds, and of one that does not.
    switch (conditional[i].condition) {
      case NONE_OF: code[n++] = (struct sock_filter)IF(BPF_JSET, bits, 1, 0); break;
      case ALL_OF: code[n++] = (struct sock_filter)IF(BPF_JSET, bits, 0, 1); break;
      case EQUALS: code[n++] = (struct sock_filter)IF(BPF_JEQ, bits, 0, 1); break;
    }
    code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | EPERM);
    code[n++] = (struct sock_filter)LOAD(offsetof(struct seccomp_data, nr));
  }
  // The flags of clone3 are in memory, which a filter cannot read; without it, the C library uses clone.
#ifdef SYS_clone3
  code[n++] = (struct sock_filter)IF(BPF_JEQ, SYS_clone3, 0, 1);
  code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | ENOSYS);
#endif
  // abort() and assertions end the process by a signal to the own thread.
  code[n++] = (struct sock_filter)IF(BPF_JEQ, SYS_tgkill, 0, 3);
  code[n++] = (struct sock_filter)LOAD(offsetof(struct seccomp_data, args));
  code[n++] = (struct sock_filter)IF(BPF_JEQ, getpid(), 0, 1);
  code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
  code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | EPERM);
  const struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

bool cw_restrict(void) { return install(); }

#else
bool cw_restrict(void) { return false; }
#endif

#else
bool cw_restrict(void) { return false; }
#endif
