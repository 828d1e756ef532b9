#include <string.h>

#include "kernel_level.h"

// Wide vectors are passed only between functions that are always inlined.
#pragma clang diagnostic ignored "-Wpsabi"

// One word of the eight codes of a block fills half a vector. The vector has it twice, so that each
// half is compared with another query.
typedef uint32_t Half __attribute__((vector_size(32)));
typedef uint32_t Lanes __attribute__((vector_size(64)));

CK_INLINE Lanes twice(const uint32_t *words) {
  Half half;
  memcpy(&half, words, sizeof half);
  return __builtin_shufflevector(half, half, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
}

CK_INLINE Lanes side_by_side(uint32_t one, uint32_t other) {
  const Half first = (Half){0} + one, second = (Half){0} + other;
  return __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

// The distances of a block's codes in the high half of each lane, and their indices in the low half,
// so that one minimum selects both.
CK_INLINE Lanes distances(const uint32_t *block, const Lanes *query, uint32_t first_index) {
  const Lanes lane = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
  const Lanes distance = __builtin_elementwise_popcount(twice(block) ^ query[0]) +
                         __builtin_elementwise_popcount(twice(block + 8) ^ query[1]) +
                         __builtin_elementwise_popcount(twice(block + 16) ^ query[2]);
  return distance << 16 | (lane + first_index);
}

CK_INLINE void nearest_codes(const uint32_t *queries, size_t query_count, const uint32_t *blocks,
                             size_t block_count, size_t code_count, uint32_t *best) {
  const size_t whole = code_count / CK_CODES_PER_BLOCK;
  for (size_t q = 0; q < query_count; q += 2) {
    const uint32_t *one = queries + CK_KEYPOINT_WORDS * q;
    // If the number of queries is odd, the last one is compared twice.
    const uint32_t *other = q + 1 < query_count ? one + CK_KEYPOINT_WORDS : one;
    Lanes query[CK_KEYPOINT_WORDS];
    for (int word = 0; word < CK_KEYPOINT_WORDS; word++) query[word] = side_by_side(one[word], other[word]);
    Lanes first = (Lanes){0} - 1;
    for (size_t b = 0; b < whole; b++) {
      first = __builtin_elementwise_min(
          first, distances(blocks + b * CK_KEYPOINT_BLOCK_WORDS, query, (uint32_t)(b * CK_CODES_PER_BLOCK)));
    }
    if (whole < block_count && whole * CK_CODES_PER_BLOCK < code_count) {
      const uint32_t index = (uint32_t)(whole * CK_CODES_PER_BLOCK);
      const Lanes last = distances(blocks + whole * CK_KEYPOINT_BLOCK_WORDS, query, index);
      // The last block is padded with codes that do not count.
      first = __builtin_elementwise_min(first, last | (Lanes)((last & 0xffff) >= (uint32_t)code_count));
    }
    const Half low = __builtin_shufflevector(first, first, 0, 1, 2, 3, 4, 5, 6, 7);
    const Half high = __builtin_shufflevector(first, first, 8, 9, 10, 11, 12, 13, 14, 15);
    best[q] = __builtin_reduce_min(low);
    if (q + 1 < query_count) best[q + 1] = __builtin_reduce_min(high);
  }
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, nearest_codes, (queries, query_count, blocks, block_count, code_count, best),
          const uint32_t *queries, size_t query_count, const uint32_t *blocks, size_t block_count,
          size_t code_count, uint32_t *best)
