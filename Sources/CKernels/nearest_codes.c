#include "code_block.h"

// Keeps the distance in the high half and the index in the low half of a lane, so that one minimum
// selects both.
CK_INLINE void nearest_codes(const uint64_t *queries, size_t query_count, const uint64_t *blocks,
                             size_t block_count, size_t code_count, uint32_t *best) {
  for (size_t q = 0; q < query_count; q++) {
    const uint64_t *query = queries + 4 * q;
    // A distance larger than that of any two codes.
    const uint64_t none = (uint64_t)0xffff << 32;
    Words first = {none, none, none, none, none, none, none, none};
    Words index = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t b = 0; b < block_count; b++) {
      const Block block = load_block(blocks + b * CK_WORDS_PER_BLOCK);
      Words found = distances(&block, query) << 32 | index;
      // The last block is padded with codes that do not count.
      if ((b + 1) * CK_CODES_PER_BLOCK > code_count) {
        for (size_t c = 0; c < CK_CODES_PER_BLOCK; c++) {
          if (b * CK_CODES_PER_BLOCK + c >= code_count) found[c] = none;
        }
      }
      first = __builtin_elementwise_min(first, found);
      index += CK_CODES_PER_BLOCK;
    }
    const uint64_t least = __builtin_reduce_min(first);
    best[q] = (uint32_t)(least >> 32) << 16 | (uint32_t)(least & 0xffff);
  }
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, nearest_codes, (queries, query_count, blocks, block_count, code_count, best),
          const uint64_t *queries, size_t query_count, const uint64_t *blocks, size_t block_count,
          size_t code_count, uint32_t *best)
