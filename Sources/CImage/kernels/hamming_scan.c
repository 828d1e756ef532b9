#include "CImage.h"

#include <string.h>

#include "kernel_level.h"

// Wide vectors as arguments change the ABI between targets; here they pass between functions that
// are always inlined, so there is no call whose ABI could differ.
#pragma clang diagnostic ignored "-Wpsabi"

// Eight words, one of each code of a block. The compiler splits it where registers are narrower.
typedef uint64_t Words __attribute__((vector_size(64)));
typedef int64_t Mask __attribute__((vector_size(64)));

CI_INLINE Words load(const uint64_t *words) {
  Words loaded;
  memcpy(&loaded, words, sizeof loaded);
  return loaded;
}

CI_INLINE Words distances(Words w0, Words w1, Words w2, Words w3, const uint64_t *query) {
  return (__builtin_elementwise_popcount(w0 ^ query[0]) +
          __builtin_elementwise_popcount(w1 ^ query[1])) +
         (__builtin_elementwise_popcount(w2 ^ query[2]) +
          __builtin_elementwise_popcount(w3 ^ query[3]));
}

// All queries are held against a block while its words stand in registers, so that eight variants
// of one picture cost one reading of memory.
CI_INLINE size_t scan(const uint64_t *blocks, size_t block_count, const uint64_t *queries,
                      size_t query_count, uint32_t limit, uint32_t *hit_indices,
                      uint32_t *hit_distances) {
  size_t hits = 0;
  for (size_t b = 0; b < block_count; b++) {
    const uint64_t *block = blocks + b * CI_WORDS_PER_BLOCK;
    const Words w0 = load(block), w1 = load(block + 8);
    const Words w2 = load(block + 16), w3 = load(block + 24);
    Words least = distances(w0, w1, w2, w3, queries);
    for (size_t q = 1; q < query_count; q++) {
      least = __builtin_elementwise_min(least, distances(w0, w1, w2, w3, queries + 4 * q));
    }
    // Almost never taken once the caller's heap is full.
    const Mask near = least <= (uint64_t)limit;
    if (__builtin_expect(__builtin_reduce_or(near) != 0, 0)) {
      for (uint32_t c = 0; c < CI_CODES_PER_BLOCK; c++) {
        if (least[c] <= limit) {
          hit_indices[hits] = (uint32_t)(b * CI_CODES_PER_BLOCK + c);
          hit_distances[hits] = (uint32_t)least[c];
          hits++;
        }
      }
    }
  }
  return hits;
}

// A constant count of one lets the compiler keep the query in registers and drop the inner loop.
#define SCAN_BODY                                                                                  \
  return query_count == 1                                                                          \
             ? scan(blocks, block_count, queries, 1, limit, hit_indices, hit_distances)            \
             : scan(blocks, block_count, queries, query_count, limit, hit_indices, hit_distances)
#define SCAN_PARAMETERS                                                                            \
  const uint64_t *blocks, size_t block_count, const uint64_t *queries, size_t query_count,         \
      uint32_t limit, uint32_t *hit_indices, uint32_t *hit_distances

static size_t scan_base(SCAN_PARAMETERS) { SCAN_BODY; }

#if defined(__x86_64__)
// With POPCNT but without AVX2, counting word by word beats counting by table look-ups.
CI_TARGET_POPCNT static size_t scan_popcnt(SCAN_PARAMETERS) {
  size_t hits = 0;
  for (size_t b = 0; b < block_count; b++) {
    const uint64_t *block = blocks + b * CI_WORDS_PER_BLOCK;
    for (uint32_t c = 0; c < CI_CODES_PER_BLOCK; c++) {
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
        hit_indices[hits] = (uint32_t)(b * CI_CODES_PER_BLOCK + c);
        hit_distances[hits] = least;
        hits++;
      }
    }
  }
  return hits;
}

CI_TARGET_AVX2 static size_t scan_avx2(SCAN_PARAMETERS) { SCAN_BODY; }
CI_TARGET_AVX512 static size_t scan_avx512(SCAN_PARAMETERS) { SCAN_BODY; }
#endif

size_t ci_hamming_scan(const uint64_t *blocks, size_t block_count, const uint64_t *queries,
                       size_t query_count, uint32_t limit, uint32_t *hit_indices,
                       uint32_t *hit_distances, uint32_t level) {
  switch (level) {
#if defined(__x86_64__)
  case CI_LEVEL_AVX512:
    return scan_avx512(blocks, block_count, queries, query_count, limit, hit_indices,
                       hit_distances);
  case CI_LEVEL_AVX2:
    return scan_avx2(blocks, block_count, queries, query_count, limit, hit_indices, hit_distances);
  case CI_LEVEL_POPCNT:
    return scan_popcnt(blocks, block_count, queries, query_count, limit, hit_indices,
                       hit_distances);
#endif
  default:
    return scan_base(blocks, block_count, queries, query_count, limit, hit_indices, hit_distances);
  }
}
