#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CFiles.h"

#if defined(__linux__)
#include <sys/syscall.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#endif

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

static int flags_for(int32_t purpose) {
  // Without O_NONBLOCK, opening a pipe would wait for its writer; without O_NOCTTY, a terminal
  // would become that of the process.
  return O_CLOEXEC | (purpose == CF_READ ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH);
}

int32_t cf_open_folder(const char *path) {
  int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  return folder >= 0 ? folder : -errno;
}

int32_t cf_open_beneath(int32_t folder, const char *path, int32_t purpose) {
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
  struct open_how how = {.flags = (unsigned)flags_for(purpose),
                         .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  // EAGAIN means that a folder was renamed while `..` was resolved.
  for (int attempt = 0; attempt < 16; attempt++) {
    long file = syscall(SYS_openat2, folder, path, &how, sizeof how);
    if (file >= 0) return (int32_t)file;
    if (errno != EAGAIN && errno != EINTR) return -errno;
  }
  return -EAGAIN;
#else
  (void)folder, (void)path, (void)purpose;
  return -ENOSYS;
#endif
}

// Opens one component. A link is not followed, and is distinguished from a file in place of a
// folder.
static int32_t open_component(int folder, const char *name, int flags) {
  struct stat status;
  int file = openat(folder, name, flags | O_NOFOLLOW);
  int error = file >= 0 ? 0 : errno;
  if (file >= 0 && (fstat(file, &status) != 0 || S_ISLNK(status.st_mode))) {
    close(file);
    return -ELOOP;
  }
  if (error == ENOTDIR && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode)) {
    return -ELOOP;
  }
  return file >= 0 ? file : -error;
}

int32_t cf_walk_beneath(int32_t folder, const char *path, int32_t purpose) {
  if (*path == '/') return -EXDEV;
  int at = folder;
  char name[NAME_MAX + 1];
  for (;;) {
    size_t length = strcspn(path, "/");
    if (length > NAME_MAX) {
      if (at != folder) close(at);
      return -ENAMETOOLONG;
    }
    memcpy(name, path, length);
    name[length] = 0;
    if (length == 0) strcpy(name, ".");
    path += length;
    const int is_last = *path == 0;
    const int is_up = strcmp(name, "..") == 0;
    const int32_t next =
        is_up ? -EXDEV
              : open_component(at, name, is_last ? flags_for(purpose) : O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at != folder) close(at);
    if (next < 0 || is_last) return next;
    at = next;
    path++;
  }
}
