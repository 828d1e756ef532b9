#include "kernel_level.h"

// Each row is stored at the place of the next hit, and the place only advances if the row is near
// enough. A branch would often be mispredicted.

CK_INLINE uint32_t sum_distance(const uint8_t *restrict row, const uint8_t *restrict query) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < CK_SUM_ROW_BYTES; i++) {
    sum += (uint32_t)(row[i] > query[i] ? row[i] - query[i] : query[i] - row[i]);
  }
  return sum;
}

CK_INLINE size_t sum_scan(const uint8_t *rows, size_t row_count, const uint8_t *query, uint32_t limit,
                          uint32_t *hit_indices) {
  size_t hits = 0;
  for (size_t r = 0; r < row_count; r++) {
    hit_indices[hits] = (uint32_t)r;
    hits += sum_distance(rows + r * CK_SUM_ROW_BYTES, query) <= limit;
  }
  return hits;
}

// ---- Four rows at a time ----------------------------------------------------------------------------

#if defined(__x86_64__)
#include <immintrin.h>

enum { ROWS = 4 };

CK_TARGET_AVX2 static inline __attribute__((always_inline)) __m256i
sums_of_row(const uint8_t *row, __m256i query) {
  return _mm256_sad_epu8(_mm256_loadu_si256((const __m256i *)(const void *)row), query);
}

CK_TARGET_AVX2 static inline __attribute__((always_inline)) size_t
sum_scan_wide(const uint8_t *rows, size_t row_count, const uint8_t *query, uint32_t limit,
              uint32_t *hit_indices) {
  const __m256i wanted = _mm256_loadu_si256((const __m256i *)(const void *)query);
  const __m128i most = _mm_set1_epi32((int)(limit < 255 * CK_SUM_ROW_BYTES ? limit : 255 * CK_SUM_ROW_BYTES));
  const size_t whole = row_count / ROWS * ROWS;
  size_t hits = 0;
  for (size_t r = 0; r < whole; r += ROWS) {
    const uint8_t *first = rows + r * CK_SUM_ROW_BYTES;
    // Each row has four sums of eight differences, each in the low half of 64 bits. So two rows fit into one vector,
    // one of them in the high halves.
    const __m256i even = _mm256_or_si256(
        sums_of_row(first, wanted), _mm256_slli_epi64(sums_of_row(first + CK_SUM_ROW_BYTES, wanted), 32));
    const __m256i odd = _mm256_or_si256(
        sums_of_row(first + 2 * CK_SUM_ROW_BYTES, wanted),
        _mm256_slli_epi64(sums_of_row(first + 3 * CK_SUM_ROW_BYTES, wanted), 32));
    const __m256i pairs = _mm256_add_epi32(_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd));
    const __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    uint32_t near = ~(uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(sums, most))) & 15;
    if (__builtin_expect(near != 0, 0)) {
      for (; near != 0; near &= near - 1) hit_indices[hits++] = (uint32_t)r + (uint32_t)__builtin_ctz(near);
    }
  }
  for (size_t r = whole; r < row_count; r++) {
    hit_indices[hits] = (uint32_t)r;
    hits += sum_distance(rows + r * CK_SUM_ROW_BYTES, query) <= limit;
  }
  return hits;
}
#endif

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL_WITH_AVX2(size_t, sum_scan, sum_scan_wide, (rows, row_count, query, limit, hit_indices),
                    const uint8_t *rows, size_t row_count, const uint8_t *query, uint32_t limit,
                    uint32_t *hit_indices)
