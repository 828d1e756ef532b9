#include "code_block.h"
#include "nibble_scan.h"

typedef int64_t Mask __attribute__((vector_size(64)));

// Compares all queries with a block while its words are in registers, so that eight variants of one
// image cost one read of memory.
CK_INLINE size_t scan_blocks(const uint64_t *blocks, size_t block_count, const uint64_t *queries,
                             size_t query_count, uint32_t limit, uint32_t *hit_indices,
                             uint32_t *hit_distances) {
  size_t hits = 0;
  for (size_t b = 0; b < block_count; b++) {
    const Block block = load_block(blocks + b * CK_WORDS_PER_BLOCK);
    Words least = distances(&block, queries);
    for (size_t q = 1; q < query_count; q++) {
      least = __builtin_elementwise_min(least, distances(&block, queries + 4 * q));
    }
    // Once the heap of the caller is full, hardly any code is near enough, so the branch below
    // is almost never taken.
    const Mask near = least <= (uint64_t)limit;
    if (__builtin_expect(__builtin_reduce_or(near) != 0, 0)) {
      for (uint32_t c = 0; c < CK_CODES_PER_BLOCK; c++) {
        if (least[c] <= limit) {
          hit_indices[hits] = (uint32_t)(b * CK_CODES_PER_BLOCK + c);
          hit_distances[hits] = (uint32_t)least[c];
          hits++;
        }
      }
    }
  }
  return hits;
}

CK_INLINE size_t hamming_scan(const uint64_t *blocks, size_t block_count, const uint64_t *queries,
                              size_t query_count, uint32_t limit, uint32_t *hit_indices,
                              uint32_t *hit_distances) {
  // A constant count of one lets the compiler keep the query in registers and drop the inner loop.
  return query_count == 1
             ? scan_blocks(blocks, block_count, queries, 1, limit, hit_indices, hit_distances)
             : scan_blocks(blocks, block_count, queries, query_count, limit, hit_indices,
                           hit_distances);
}

#if defined(__x86_64__)
// With POPCNT but without AVX2, counting word by word beats counting by table look-ups.
CK_INLINE size_t scan_words(const uint64_t *blocks, size_t block_count, const uint64_t *queries,
                            size_t query_count, uint32_t limit, uint32_t *hit_indices,
                            uint32_t *hit_distances) {
  size_t hits = 0;
  for (size_t b = 0; b < block_count; b++) {
    const uint64_t *block = blocks + b * CK_WORDS_PER_BLOCK;
    for (uint32_t c = 0; c < CK_CODES_PER_BLOCK; c++) {
      uint32_t least = UINT32_MAX;
      for (size_t q = 0; q < query_count; q++) {
        const uint64_t *query = queries + 4 * q;
        const uint32_t distance = (uint32_t)(__builtin_popcountll(block[c] ^ query[0]) +
                                             __builtin_popcountll(block[8 + c] ^ query[1]) +
                                             __builtin_popcountll(block[16 + c] ^ query[2]) +
                                             __builtin_popcountll(block[24 + c] ^ query[3]));
        if (distance < least) least = distance;
      }
      if (least <= limit) {
        hit_indices[hits] = (uint32_t)(b * CK_CODES_PER_BLOCK + c);
        hit_distances[hits] = least;
        hits++;
      }
    }
  }
  return hits;
}

// Turns the codes only for three queries or more. For fewer, it would take more time than the
// look-ups save.
CK_INLINE_AVX2 size_t scan_nibbles(const uint64_t *blocks, size_t block_count,
                                   const uint64_t *queries, size_t query_count, uint32_t limit,
                                   uint32_t *hit_indices, uint32_t *hit_distances) {
  const size_t quad_count = query_count < 3 ? 0 : block_count / QUAD_BLOCKS;
  size_t hits = scan_quads(blocks, quad_count, queries, query_count, limit, hit_indices, hit_distances);
  const size_t rest = hamming_scan(blocks + quad_count * QUAD_WORDS, block_count - quad_count * QUAD_BLOCKS,
                                   queries, query_count, limit, hit_indices + hits, hit_distances + hits);
  for (const size_t end = hits + rest; hits < end; hits++) {
    hit_indices[hits] += (uint32_t)(quad_count * QUAD_CODES);
  }
  return hits;
}
#endif

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL_OF_LOOPS(
    size_t, hamming_scan, scan_words, scan_nibbles, hamming_scan,
    (blocks, block_count, queries, query_count, limit, hit_indices, hit_distances),
    const uint64_t *blocks, size_t block_count, const uint64_t *queries, size_t query_count,
    uint32_t limit, uint32_t *hit_indices, uint32_t *hit_distances)
