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

// ---- XXH64 -----------------------------------------------------------------------------------------

// The primes of the specification.
static const uint64_t P1 = 0x9e3779b185ebca87, P2 = 0xc2b2ae3d27d4eb4f, P3 = 0x165667b19e3779f9,
                      P4 = 0x85ebca77c2b2ae63, P5 = 0x27d4eb2f165667c5;

static inline uint64_t rotated(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

static inline uint64_t next(uint64_t lane, uint64_t word) { return rotated(lane + word * P2, 31) * P1; }

static inline uint64_t word_at(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  return word;
}

uint64_t ck_seal(const uint8_t *bytes, size_t count, uint64_t seed) {
  uint64_t value = seed + P5;
  size_t rest = count;
  if (count >= 32) {
    // Four lanes, so that a multiplication does not wait for the one before.
    uint64_t a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
    for (; rest >= 32; bytes += 32, rest -= 32) {
      a = next(a, word_at(bytes));
      b = next(b, word_at(bytes + 8));
      c = next(c, word_at(bytes + 16));
      d = next(d, word_at(bytes + 24));
    }
    value = rotated(a, 1) + rotated(b, 7) + rotated(c, 12) + rotated(d, 18);
    const uint64_t lanes[] = {a, b, c, d};
    for (int lane = 0; lane < 4; lane++) value = (value ^ next(0, lanes[lane])) * P1 + P4;
  }
  value += count;
  for (; rest >= 8; bytes += 8, rest -= 8) value = rotated(value ^ next(0, word_at(bytes)), 27) * P1 + P4;
  if (rest >= 4) {
    uint32_t half;
    memcpy(&half, bytes, sizeof half);
    value = rotated(value ^ half * P1, 23) * P2 + P3;
    bytes += 4;
    rest -= 4;
  }
  for (; rest > 0; bytes++, rest--) value = rotated(value ^ *bytes * P5, 11) * P1;
  value = (value ^ value >> 33) * P2;
  value = (value ^ value >> 29) * P3;
  return value ^ value >> 32;
}
