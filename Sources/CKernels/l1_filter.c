#include <string.h>

#include "kernel_level.h"

enum { WORDS = CK_L1_ROW_BYTES / 2, NIBBLES = 4 };

// Each 16-bit word holds four grades, which stand for k * k + k * k / 8. The query's bins lie in
// the order of the loop, so that the compiler takes as many words at a time as fit a vector.
CK_INLINE uint32_t l1(const uint16_t *restrict row, const uint16_t *restrict query) {
  uint16_t sums[WORDS] = {0};
  for (uint32_t nibble = 0; nibble < NIBBLES; nibble++) {
    for (uint32_t i = 0; i < WORDS; i++) {
      const uint16_t grade = row[i] >> (4 * nibble) & 15;
      const uint16_t square = (uint16_t)(grade * grade);
      const uint16_t value = (uint16_t)(square + (square >> 3));
      const uint16_t bin = query[nibble * WORDS + i];
      // Both values are below 256, so the sum of four differences fits 16 bits.
      sums[i] += (uint16_t)(value > bin ? value - bin : bin - value);
    }
  }
  uint32_t sum = 0;
  for (uint32_t i = 0; i < WORDS; i++) sum += sums[i];
  return sum;
}

CK_INLINE size_t l1_filter(const uint8_t *rows, const uint8_t *query, uint32_t limit, uint32_t *indices,
                           size_t count, uint32_t *distances) {
  uint16_t ordered[NIBBLES * WORDS];
  for (uint32_t i = 0; i < WORDS; i++) {
    for (uint32_t nibble = 0; nibble < NIBBLES; nibble++) {
      ordered[nibble * WORDS + i] = query[NIBBLES * i + nibble];
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    uint16_t row[WORDS];
    memcpy(row, rows + (size_t)indices[i] * CK_L1_ROW_BYTES, sizeof row);
    const uint32_t distance = l1(row, ordered);
    indices[kept] = indices[i];
    distances[kept] = distance;
    kept += distance <= limit;
  }
  return kept;
}

// ---- With a table of the grades in a register -------------------------------------------------------

#if defined(__x86_64__)
#include <immintrin.h>

enum { STEP = 32, STEPS = (CK_L1_ROW_BYTES + STEP - 1) / STEP, LAST = CK_L1_ROW_BYTES % STEP };

// The last step of a row has half a vector; the other half is zero in row and query.
CK_TARGET_AVX2 static inline __attribute__((always_inline)) size_t
l1_filter_wide(const uint8_t *rows, const uint8_t *query, uint32_t limit, uint32_t *indices, size_t count,
               uint32_t *distances) {
  const __m256i bins = _mm256_setr_epi8(0, 1, 4, 10, 18, 28, 40, 55, 72, 91, 112, (char)136, (char)162,
                                        (char)190, (char)220, (char)253, 0, 1, 4, 10, 18, 28, 40, 55, 72, 91,
                                        112, (char)136, (char)162, (char)190, (char)220, (char)253);
  const __m256i half = _mm256_set1_epi8(15);
  uint8_t low[STEPS * STEP] = {0}, high[STEPS * STEP] = {0};
  for (uint32_t i = 0; i < CK_L1_ROW_BYTES; i++) {
    low[i] = query[2 * i];
    high[i] = query[2 * i + 1];
  }
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *row = rows + (size_t)indices[i] * CK_L1_ROW_BYTES;
    __m256i sums = _mm256_setzero_si256();
    for (uint32_t step = 0; step < STEPS; step++) {
      __m256i grades;
      if (LAST == 0 || step + 1 < STEPS) {
        grades = _mm256_loadu_si256((const __m256i *)(const void *)(row + STEP * step));
      } else {
        grades = _mm256_setzero_si256();
        memcpy(&grades, row + STEP * step, LAST);
      }
      const __m256i first = _mm256_shuffle_epi8(bins, _mm256_and_si256(grades, half));
      const __m256i second =
          _mm256_shuffle_epi8(bins, _mm256_and_si256(_mm256_srli_epi16(grades, 4), half));
      __m256i wanted_first, wanted_second;
      memcpy(&wanted_first, low + STEP * step, STEP);
      memcpy(&wanted_second, high + STEP * step, STEP);
      sums = _mm256_add_epi64(sums, _mm256_sad_epu8(first, wanted_first));
      sums = _mm256_add_epi64(sums, _mm256_sad_epu8(second, wanted_second));
    }
    const __m128i folded =
        _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    const uint32_t distance =
        (uint32_t)(_mm_cvtsi128_si64(folded) + _mm_extract_epi64(folded, 1));
    indices[kept] = indices[i];
    distances[kept] = distance;
    kept += distance <= limit;
  }
  return kept;
}
#endif

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL_WITH_AVX2(size_t, l1_filter, l1_filter_wide, (rows, query, limit, indices, count, distances),
                    const uint8_t *rows, const uint8_t *query, uint32_t limit, uint32_t *indices,
                    size_t count, uint32_t *distances)
