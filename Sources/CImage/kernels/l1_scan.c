#include "CImage.h"

#include "kernel_level.h"

// A loop of constant length over bytes: compilers turn it into sums of absolute differences
// (psadbw, uabd) of whatever width the target has.
CI_INLINE uint32_t l1(const uint8_t *restrict row, const uint8_t *restrict query) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < CI_L1_ROW_BYTES; i++) {
    const int difference = (int)row[i] - (int)query[i];
    sum += (uint32_t)(difference < 0 ? -difference : difference);
  }
  return sum;
}

CI_INLINE size_t scan(const uint8_t *rows, size_t row_count, const uint8_t *query, uint32_t limit,
                      uint32_t *hit_indices, uint32_t *hit_distances) {
  size_t hits = 0;
  for (size_t r = 0; r < row_count; r++) {
    const uint32_t distance = l1(rows + r * CI_L1_ROW_BYTES, query);
    if (__builtin_expect(distance <= limit, 0)) {
      hit_indices[hits] = (uint32_t)r;
      hit_distances[hits] = distance;
      hits++;
    }
  }
  return hits;
}

#define SCAN_PARAMETERS                                                                            \
  const uint8_t *rows, size_t row_count, const uint8_t *query, uint32_t limit,                     \
      uint32_t *hit_indices, uint32_t *hit_distances
#define SCAN_BODY return scan(rows, row_count, query, limit, hit_indices, hit_distances)

static size_t scan_base(SCAN_PARAMETERS) { SCAN_BODY; }
#if defined(__x86_64__)
CI_TARGET_AVX2 static size_t scan_avx2(SCAN_PARAMETERS) { SCAN_BODY; }
CI_TARGET_AVX512 static size_t scan_avx512(SCAN_PARAMETERS) { SCAN_BODY; }
#endif

size_t ci_l1_scan(const uint8_t *rows, size_t row_count, const uint8_t *query, uint32_t limit,
                  uint32_t *hit_indices, uint32_t *hit_distances, uint32_t level) {
  switch (level) {
#if defined(__x86_64__)
  case CI_LEVEL_AVX512:
    return scan_avx512(rows, row_count, query, limit, hit_indices, hit_distances);
  case CI_LEVEL_AVX2:
    return scan_avx2(rows, row_count, query, limit, hit_indices, hit_distances);
#endif
  default:
    // SSE2 already has psadbw, so POPCNT machines gain nothing from a body of their own.
    return scan_base(rows, row_count, query, limit, hit_indices, hit_distances);
  }
}
