#include <string.h>

#include "kernel_level.h"

enum { WORDS = CK_L1_ROW_BYTES / 2, NIBBLES = 4 };

// Each 16-bit word holds four grades, which stand for k * k + k * k / 8. The query's bins lie in the order of
// the loop, so that the compiler takes as many words at a time as fit a vector.
CK_INLINE uint32_t l1(const uint16_t *restrict row, const uint16_t *restrict query) {
  uint16_t sums[WORDS] = {0};
  for (uint32_t nibble = 0; nibble < NIBBLES; nibble++) {
    for (uint32_t i = 0; i < WORDS; i++) {
      const uint16_t grade = row[i] >> (4 * nibble) & 15;
      const uint16_t square = (uint16_t)(grade * grade);
      const uint16_t value = (uint16_t)(square + (square >> 3));
      const uint16_t bin = query[nibble * WORDS + i];
      // Both are below 256, and four differences fit 16 bits.
      sums[i] += (uint16_t)(value > bin ? value - bin : bin - value);
    }
  }
  uint32_t sum = 0;
  for (uint32_t i = 0; i < WORDS; i++) sum += sums[i];
  return sum;
}

CK_INLINE size_t l1_scan(const uint8_t *rows, size_t row_count, const uint8_t *query,
                         uint32_t limit, uint32_t *hit_indices, uint32_t *hit_distances) {
  uint16_t ordered[NIBBLES * WORDS];
  for (uint32_t i = 0; i < WORDS; i++) {
    for (uint32_t nibble = 0; nibble < NIBBLES; nibble++) {
      ordered[nibble * WORDS + i] = query[NIBBLES * i + nibble];
    }
  }
  size_t hits = 0;
  for (size_t r = 0; r < row_count; r++) {
    uint16_t row[WORDS];
    memcpy(row, rows + r * CK_L1_ROW_BYTES, sizeof row);
    const uint32_t distance = l1(row, ordered);
    if (__builtin_expect(distance <= limit, 0)) {
      hit_indices[hits] = (uint32_t)r;
      hit_distances[hits] = distance;
      hits++;
    }
  }
  return hits;
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(size_t, l1_scan, (rows, row_count, query, limit, hit_indices, hit_distances),
          const uint8_t *rows, size_t row_count, const uint8_t *query, uint32_t limit,
          uint32_t *hit_indices, uint32_t *hit_distances)
