#include <string.h>

#include "kernel_level.h"

// Wide vectors are passed only between functions that are always inlined.
#pragma clang diagnostic ignored "-Wpsabi"

typedef uint32_t Lanes __attribute__((vector_size(32)));

// Keeps the distance in the high half and the index in the low half of a lane, so that one minimum
// selects both.
CK_INLINE void nearest_codes(const uint32_t *queries, size_t query_count, const uint32_t *blocks,
                             size_t block_count, size_t code_count, uint32_t *best) {
  const Lanes lane = {0, 1, 2, 3, 4, 5, 6, 7};
  for (size_t q = 0; q < query_count; q++) {
    const uint32_t *query = queries + CK_KEYPOINT_WORDS * q;
    Lanes first = (Lanes){0} - 1;
    for (size_t b = 0; b < block_count; b++) {
      Lanes words[CK_KEYPOINT_WORDS];
      memcpy(words, blocks + b * CK_KEYPOINT_BLOCK_WORDS, sizeof words);
      const Lanes distance = __builtin_elementwise_popcount(words[0] ^ query[0]) +
                             __builtin_elementwise_popcount(words[1] ^ query[1]) +
                             __builtin_elementwise_popcount(words[2] ^ query[2]);
      const Lanes index = lane + (uint32_t)(b * CK_CODES_PER_BLOCK);
      // The last block is padded with codes that do not count.
      first = __builtin_elementwise_min(
          first, (distance << 16 | index) | (Lanes)(index >= (uint32_t)code_count));
    }
    best[q] = __builtin_reduce_min(first);
  }
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, nearest_codes, (queries, query_count, blocks, block_count, code_count, best),
          const uint32_t *queries, size_t query_count, const uint32_t *blocks, size_t block_count,
          size_t code_count, uint32_t *best)
