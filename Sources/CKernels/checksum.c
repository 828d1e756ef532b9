#include <string.h>

#include "CKernels.h"

uint64_t ck_checksum(const uint8_t *bytes, size_t count, uint64_t value) {
  const uint64_t prime = 0x100000001b3;
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    value = (value ^ word) * prime;
  }
  if (count == 0) return value;
  uint64_t rest = 0;
  memcpy(&rest, bytes, count);
  return (value ^ rest) * prime;
}
