#include "kernel_level.h"

// A loop of constant length over bytes. Compilers turn it into sums of absolute differences
// (psadbw, uabd) of the target's vector width.
CK_INLINE uint32_t l1(const uint8_t *restrict row, const uint8_t *restrict query) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < CK_L1_ROW_BYTES; i++) {
    const int difference = (int)row[i] - (int)query[i];
    sum += (uint32_t)(difference < 0 ? -difference : difference);
  }
  return sum;
}

CK_INLINE size_t l1_scan(const uint8_t *rows, size_t row_count, const uint8_t *query,
                         uint32_t limit, uint32_t *hit_indices, uint32_t *hit_distances) {
  size_t hits = 0;
  for (size_t r = 0; r < row_count; r++) {
    const uint32_t distance = l1(rows + r * CK_L1_ROW_BYTES, query);
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
