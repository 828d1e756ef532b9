#include "kernel_level.h"

// Most codes of a word are unrelated: their first half already differs too much.
CK_INLINE size_t verify_postings(const uint64_t *query, const uint64_t *blocks, size_t code_count,
                                 const uint32_t *postings, size_t posting_count, uint32_t limit,
                                 uint32_t *hits, uint32_t *distances) {
  size_t count = 0;
  for (size_t p = 0; p < posting_count; p++) {
    // Read once: another program may change a mapped file between the check and the use.
    const size_t code = *(const volatile uint32_t *)&postings[p];
    if (code >= code_count) continue;
    const uint64_t *words =
        blocks + code / CK_CODES_PER_BLOCK * CK_WORDS_PER_BLOCK + code % CK_CODES_PER_BLOCK;
    uint32_t distance = (uint32_t)(__builtin_popcountll(words[8] ^ query[1]) +
                                   __builtin_popcountll(words[16] ^ query[2]));
    if (distance > limit) continue;
    distance += (uint32_t)(__builtin_popcountll(words[0] ^ query[0]) +
                           __builtin_popcountll(words[24] ^ query[3]));
    if (distance > limit) continue;
    hits[count] = (uint32_t)code;
    distances[count] = distance;
    count++;
  }
  return count;
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(size_t, verify_postings,
          (query, blocks, code_count, postings, posting_count, limit, hits, distances),
          const uint64_t *query, const uint64_t *blocks, size_t code_count, const uint32_t *postings,
          size_t posting_count, uint32_t limit, uint32_t *hits, uint32_t *distances)
