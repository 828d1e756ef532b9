// Starting and burying workers.

#include "pool.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// The variables that a worker inherits: the folders of libraries. The others may have keys and passwords.
static const char *const kept_variables[] = {"LD_LIBRARY_PATH=", "LIBHEIF_PLUGIN_PATH="};
enum { KEPT = sizeof kept_variables / sizeof *kept_variables };

// Returns memory that both processes map. It cannot be made smaller, since reading what is gone would end the program.
static int new_memory(uint64_t size) {
  const int file = memfd_create("vq worker", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return -1;
  if (ftruncate(file, (off_t)size) == 0 &&
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    return file;
  }
  (void)close(file);
  return -1;
}

// Starts the program again, as a worker with two descriptors.
static bool start_program(pid_t *process, const cw_options *options, int socket, int memory) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  if (posix_spawnattr_init(&attributes) != 0) {
    (void)posix_spawn_file_actions_destroy(&actions);
    return false;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  char *variables[KEPT + 2] = {NULL};
  size_t count = 0;
  for (char **variable = environ; *variable != NULL && count < KEPT; variable++) {
    for (size_t i = 0; i < KEPT; i++) {
      if (strncmp(*variable, kept_variables[i], strlen(kept_variables[i])) == 0) {
        variables[count++] = *variable;
        break;
      }
    }
  }
  char quiet[] = "SWIFT_BACKTRACE=enable=no", name[] = "vq", command[] = "worker";
  variables[count] = quiet;
  char **const arguments = calloc(options->argument_count + 3, sizeof *arguments);
  if (arguments != NULL) {
    arguments[0] = name;
    arguments[1] = command;
    memcpy(arguments + 2, options->arguments, options->argument_count * sizeof *arguments);
  }
  // A process group of its own: Ctrl-C in a terminal is for the program, which ends its workers when it has answered.
  bool is_ready = arguments != NULL &&
                  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                            POSIX_SPAWN_SETPGROUP) == 0 &&
                  posix_spawnattr_setsigmask(&attributes, &none) == 0 &&
                  posix_spawnattr_setsigdefault(&attributes, &all) == 0 &&
                  posix_spawnattr_setpgroup(&attributes, 0) == 0;
  for (int number = 0; is_ready && number < CW_SOCKET; number++) {
    is_ready = posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0) == 0;
  }
  // Both were made above these numbers, so that neither overwrites the other.
  is_ready = is_ready && posix_spawn_file_actions_adddup2(&actions, socket, CW_SOCKET) == 0 &&
             posix_spawn_file_actions_adddup2(&actions, memory, CW_MEMORY) == 0;
  const char *const file = options->path != NULL ? options->path : "/proc/self/exe";
  const bool has_started =
      is_ready && posix_spawn(process, file, &actions, &attributes, arguments, variables) == 0;
  (void)posix_spawnattr_destroy(&attributes);
  (void)posix_spawn_file_actions_destroy(&actions);
  free(arguments);
  return has_started;
}

// Returns a copy of a descriptor above those that a worker gets, and closes the other.
static int raised(int file) {
  if (file < 0 || file > CW_MEMORY) return file;
  const int copy = fcntl(file, F_DUPFD_CLOEXEC, CW_MEMORY + 1);
  (void)close(file);
  return copy;
}

bool cw_spawn(cw_worker *worker, const cw_options *options) {
  int sockets[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return false;
  sockets[0] = raised(sockets[0]);
  sockets[1] = raised(sockets[1]);
  const int file = raised(new_memory(options->memory_bytes));
  void *memory = MAP_FAILED;
  if (file >= 0) {
    memory = mmap(NULL, options->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  const cw_start_message start = {.magic = CW_MAGIC, .kind = options->kind, .data_bytes = options->data_bytes};
  const bool has_started =
      memory != MAP_FAILED && sockets[0] >= 0 && sockets[1] >= 0 &&
      send(sockets[0], &start, sizeof start, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof start &&
      start_program(&worker->process, options, sockets[1], file);
  if (file >= 0) (void)close(file);
  if (sockets[1] >= 0) (void)close(sockets[1]);
  if (has_started) {
    worker->socket = sockets[0];
    worker->memory = memory;
    worker->jobs = 0;
    worker->number = 0;
    return true;
  }
  if (memory != MAP_FAILED) (void)munmap(memory, options->memory_bytes);
  if (sockets[0] >= 0) (void)close(sockets[0]);
  return false;
}

void cw_bury(cw_worker *worker, uint64_t memory_bytes) {
  (void)kill(worker->process, SIGKILL);
  int status = 0;
  while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) {
  }
  (void)close(worker->socket);
  (void)munmap(worker->memory, memory_bytes);
}

#endif
