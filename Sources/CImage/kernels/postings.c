#include "CImage.h"

#include "kernel_level.h"

#define VERIFY_PARAMETERS                                                                          \
  const uint64_t *query, const uint64_t *blocks, size_t code_count, const uint32_t *postings,      \
      size_t posting_count, uint32_t limit, uint32_t *hits, uint32_t *distances

// Most codes of a word are strangers, whose first half already differs too much.
CI_INLINE size_t verify(VERIFY_PARAMETERS) {
  size_t count = 0;
  for (size_t p = 0; p < posting_count; p++) {
    // Read once: another program may change a mapped file between the check and the use.
    const size_t code = *(const volatile uint32_t *)&postings[p];
    if (code >= code_count) continue;
    const uint64_t *words =
        blocks + code / CI_CODES_PER_BLOCK * CI_WORDS_PER_BLOCK + code % CI_CODES_PER_BLOCK;
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

#define VERIFY_BODY                                                                                \
  return verify(query, blocks, code_count, postings, posting_count, limit, hits, distances)

static size_t verify_base(VERIFY_PARAMETERS) { VERIFY_BODY; }
#if defined(__x86_64__)
CI_TARGET_POPCNT static size_t verify_popcnt(VERIFY_PARAMETERS) { VERIFY_BODY; }
#endif

size_t ci_verify_postings(VERIFY_PARAMETERS, uint32_t level) {
#if defined(__x86_64__)
  if (level >= CI_LEVEL_POPCNT) {
    return verify_popcnt(query, blocks, code_count, postings, posting_count, limit, hits,
                         distances);
  }
#else
  (void)level;
#endif
  VERIFY_BODY;
}
