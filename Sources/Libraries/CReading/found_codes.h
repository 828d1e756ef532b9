// Codes as bytes, on their way from a worker to the program, which trusts none of them.
#ifndef FOUND_CODES_H
#define FOUND_CODES_H

#include "CReading.h"

typedef struct {
  int32_t kind, quality;
  uint32_t place_count, byte_count;
  const int32_t *places;  // two numbers for each
  const uint8_t *bytes;
} cr_found_code;

typedef struct {
  cr_found_code *codes;
  uint32_t count;
  uint8_t *memory;  // that the codes are in
} cr_found;

// Writes a list of codes, without those that do not fit, and returns the number of bytes.
size_t cr_found_write(cr_codes *codes, uint8_t *bytes, size_t capacity);

// Copies and reads bytes that cr_found_write wrote, or anything else. Returns false if they make no sense, or without memory.
bool cr_found_read(cr_found *found, const uint8_t *bytes, size_t count);

void cr_found_free(cr_found *found);

#endif
