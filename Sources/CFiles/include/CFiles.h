// Opens files beneath a folder, whatever their names and links are, and stores what was written.
//
// Every function that opens a file returns a descriptor that the caller closes, or a negative errno.
#ifndef CFILES_H
#define CFILES_H

#include <stdint.h>

// The purpose of opening a file.
enum : int32_t {
  CF_STATUS = 0,  // fstat only; needs no permission to read the file
  CF_READ = 1,    // reading; never waits for the other end of a pipe
};

// Opens a folder beneath which other files are opened.
int32_t cf_open_folder(const char *path);

// Opens `path` beneath `folder` with one system call of Linux 5.6 (openat2). Returns -EXDEV for
// absolute paths, and for `..` and symbolic links that leave the folder, -ELOOP for links of /proc, and
// -ENOSYS or -EPERM if the system does not support the call.
int32_t cf_open_beneath(int32_t folder, const char *path, int32_t purpose);

// Opens `path` component by component, for other systems. Returns -ELOOP for every symbolic link
// and -EXDEV for `..` and absolute paths.
int32_t cf_walk_beneath(int32_t folder, const char *path, int32_t purpose);

// Lets the system begin to store what was written to a file, so that a later fsync waits for less.
// Changes nothing but time.
void cf_begin_storing(int32_t file);

#endif
