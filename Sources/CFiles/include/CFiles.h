// Opening files beneath a folder, whatever their names and links say.
//
// Every function returns a descriptor that the caller closes, or a negative errno.
#ifndef CFILES_H
#define CFILES_H

#include <stdint.h>

// What a file is opened for.
enum : int32_t {
  CF_STATUS = 0,  // fstat alone; needs no right to read the file
  CF_READ = 1,    // reading; never waits for the other end of a pipe
};

// Opens a folder that other files are opened beneath.
int32_t cf_open_folder(const char *path);

// Opens `path` beneath `folder` in one system call of Linux 5.6 (openat2): `..`, absolute paths and symbolic links
// that lead out of the folder give -EXDEV, links of /proc -ELOOP. -ENOSYS or -EPERM where the system lacks it.
int32_t cf_open_beneath(int32_t folder, const char *path, int32_t purpose);

// The same component by component, for other systems: -ELOOP for every symbolic link, -EXDEV for `..` and for absolute
// paths.
int32_t cf_walk_beneath(int32_t folder, const char *path, int32_t purpose);

#endif
