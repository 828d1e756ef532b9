#include "CBuild.h"

#include <stddef.h>

// Package.swift defines VQ_COMMIT from the environment. Only this file depends on it, so that a new commit compiles one file.
const char *cb_commit(void) {
#ifdef VQ_COMMIT
  return VQ_COMMIT;
#else
  return NULL;
#endif
}
