// The coefficients of the confidence, by name, as bytes of the program.
#ifndef CCONFIDENCE_H
#define CCONFIDENCE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  const uint8_t *bytes;
  size_t count;
} cc_file;

// The tables of coefficients, and the trees.
cc_file cc_confidence(void);

#endif
