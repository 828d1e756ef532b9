// Functions of libraries that are loaded when first needed.
#ifndef LOADING_H
#define LOADING_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

// Looks up a function of a library and stores it in the member of the same name. True if it was
// found.
#define CI_FIND(handle, table, name)                                                              \
  ((table.name = (__typeof__(table.name))dlsym(handle, #name)) != NULL)

#endif
