// Images that a worker process decodes, if the program has any (CWorkers).
#ifndef REMOTE_H
#define REMOTE_H

#include "CWorkers.h"
#include "reader.h"

// The sizes in the header of an image, which the caller has checked.
typedef struct {
  cw_library library;
  uint32_t width, height, denominator, coded_width, coded_height;
} ci_description;

// Opens an image in a worker; the status is CI_MORE.
ci_reader *ci_remote_open(const uint8_t *bytes, size_t count, ci_description description,
                          ci_limits limits, int32_t *status);

#endif
