// The votes of a query's keypoints in an index of visual words.
#include <stdbool.h>

#include "code_block.h"

// A hit is one number, so that sorting numbers brings together what is added up:
// row (24 bits), mirrored (1), turn (4), keypoint (10), weight (25).
enum { ROW_SHIFT = 40, MIRROR_SHIFT = 39, TURN_SHIFT = 35, KEYPOINT_SHIFT = 25, TURNS = 16 };
enum { HASH_BITS = CK_POSTING_HASH_BITS, PROBES = 1 << CK_DOUBTS, GROUP = 4 };

// One bit for each posting of a block.
typedef bool Lanes __attribute__((ext_vector_type(CK_CODES_PER_BLOCK)));

// The words that a keypoint looks up.
typedef struct {
  // The words, later replaced by their places among the starts.
  uint32_t words[PROBES];
  uint32_t count;
} Probes;

// Lists the word of a keypoint, and those that differ from it in its `limit` most doubtful bits.
CK_INLINE void list_probes(Probes *probes, uint64_t hash, const uint8_t *doubts, uint32_t limit,
                           uint32_t word_bits) {
  probes->words[0] = (uint32_t)(hash & ((1u << word_bits) - 1));
  probes->count = 1;
  uint32_t flipped = 0, tried = 0;
  for (uint32_t d = 0; d < CK_KNOWN_DOUBTS + CK_WORD_BIT_LIMIT && flipped < limit; d++) {
    const uint32_t bit = d < CK_KNOWN_DOUBTS ? doubts[d] : d - CK_KNOWN_DOUBTS;
    if (bit >= word_bits || (tried >> bit & 1)) continue;
    tried |= 1u << bit;
    flipped++;
    for (uint32_t p = 0; p < probes->count; p++) {
      probes->words[probes->count + p] = probes->words[p] ^ 1u << bit;
    }
    probes->count *= 2;
  }
}

// Returns the place of a word among the starts. If the index does not have the word, the place is `word_count`.
CK_INLINE size_t place_of(const ck_word_index *index, uint32_t word) {
  if (index->words == NULL) return word;
  size_t first = 0, end = index->word_count;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    if (index->words[middle] < word) first = middle + 1;
    else end = middle;
  }
  return first < index->word_count && index->words[first] == word ? first : index->word_count;
}

// Appends the hits of the word at a place. `mark` has the bits that all of them share: the view and the keypoint.
CK_INLINE size_t collect_word(const ck_word_index *index, size_t place, uint64_t pattern, uint64_t mark,
                              uint64_t *hits) {
  if (index->words != NULL && place == index->word_count) return 0;
  // Read once: another program may change a mapped file between the check and the use.
  const uint32_t from = *(const volatile uint32_t *)&index->starts[place];
  const uint32_t end = *(const volatile uint32_t *)&index->starts[place + 1];
  if (from >= end || end > index->posting_count || end - from > index->longest) return 0;
  const uint32_t bits = index->word_bits, shift = bits + 8;
  const uint32_t limit = (HASH_BITS - bits) * 7 / 32;
  const int32_t rarity = (int32_t)(bits + 4) - (31 - __builtin_clz(end - from));
  const uint64_t weight = rarity > 1 ? (uint64_t)rarity : 1;
  const uint8_t angle = (uint8_t)(pattern >> bits);
  size_t count = 0;
  for (size_t at = from; at < end; at += CK_CODES_PER_BLOCK) {
    // Reads whole vectors, whose last postings may belong to the next word and are not used. Near
    // the end of the index, only the postings that are left are read.
    Words found = {0};
    const size_t left = index->posting_count - at;
    if (left >= CK_CODES_PER_BLOCK) {
      memcpy(&found, index->postings + at, sizeof found);
    } else {
      memcpy(&found, index->postings + at, left * sizeof(uint64_t));
    }
    const Words distance = __builtin_elementwise_popcount((found ^ pattern) >> shift);
    const Lanes near = __builtin_convertvector(distance <= limit, Lanes);
    uint8_t lanes;
    memcpy(&lanes, &near, sizeof lanes);
    if (end - at < CK_CODES_PER_BLOCK) lanes &= (uint8_t)((1u << (end - at)) - 1);
    for (; lanes != 0; lanes &= (uint8_t)(lanes - 1)) {
      const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
      const uint64_t row = found[lane] & ((1u << bits) - 1);
      if (row >= index->row_count) continue;
      const uint64_t turn = (uint8_t)((uint8_t)(found[lane] >> bits) - angle) >> 4;
      hits[count++] = row << ROW_SHIFT | mark | turn << TURN_SHIFT | weight * (4 * limit - 3 * distance[lane]);
    }
  }
  return count;
}

CK_INLINE size_t collect_votes(const ck_word_index *index, const ck_vote_source *keypoints, size_t first,
                               uint64_t *hits) {
  Probes probes[GROUP];
  size_t count = 0;
  const size_t end = first + CK_VOTE_BATCH < keypoints->count ? first + CK_VOTE_BATCH : keypoints->count;
  for (size_t group = first; group < end; group += GROUP) {
    const size_t size = end - group < GROUP ? end - group : GROUP;
    // Nearly every probe misses the caches, so all loads of a group are started before the
    // first result is used.
    for (size_t k = 0; k < size; k++) {
      const uint8_t *doubts = keypoints->doubts + CK_KNOWN_DOUBTS * (group + k);
      list_probes(&probes[k], keypoints->hashes[group + k], doubts, index->doubts, index->word_bits);
      for (uint32_t p = 0; p < probes[k].count; p++) {
        const size_t place = place_of(index, probes[k].words[p]);
        probes[k].words[p] = (uint32_t)place;
        __builtin_prefetch(index->starts + place);
      }
    }
    for (size_t k = 0; k < size; k++) {
      for (uint32_t p = 0; p < probes[k].count; p++) {
        const size_t from = index->starts[probes[k].words[p]];
        if (from >= index->posting_count) continue;
        __builtin_prefetch(index->postings + from);
        __builtin_prefetch(index->postings + from + 8);
      }
    }
    for (size_t k = 0; k < size; k++) {
      const uint64_t hash = keypoints->hashes[group + k] >> index->word_bits;
      const uint64_t pattern = (hash << 8 | keypoints->angles[group + k]) << index->word_bits;
      const uint64_t mark =
          (uint64_t)keypoints->is_mirrored << MIRROR_SHIFT | (uint64_t)(group + k) << KEYPOINT_SHIFT;
      for (uint32_t p = 0; p < probes[k].count; p++) {
        count += collect_word(index, probes[k].words[p], pattern, mark, hits + count);
      }
    }
  }
  return count;
}

size_t ck_probed_words(uint64_t hash, const uint8_t *doubts, uint32_t count, uint32_t word_bits,
                       uint32_t *words) {
  Probes probes;
  list_probes(&probes, hash, doubts, count, word_bits);
  memcpy(words, probes.words, probes.count * sizeof *words);
  return probes.count;
}

// ---- The rows with the most votes ---------------------------------------------------------------

// Sorts by row, view and turn, 29 bits, and keeps the order of keypoints. Returns where the result is.
static uint64_t *sort_hits(uint64_t *hits, uint64_t *other, size_t count) {
  uint64_t all = 0;
  for (size_t i = 0; i < count; i++) all |= hits[i];
  for (int shift = TURN_SHIFT; shift < 64 && all >> shift != 0; shift += 10) {
    size_t starts[1025] = {0};
    for (size_t i = 0; i < count; i++) starts[(hits[i] >> shift & 1023) + 1]++;
    for (int i = 0; i < 1024; i++) starts[i + 1] += starts[i];
    for (size_t i = 0; i < count; i++) other[starts[hits[i] >> shift & 1023]++] = hits[i];
    uint64_t *const swap = hits;
    hits = other;
    other = swap;
  }
  return hits;
}

static int is_better(ck_vote one, ck_vote other) {
  if (one.weight != other.weight) return one.weight > other.weight;
  return one.row != other.row ? one.row < other.row : one.is_mirrored < other.is_mirrored;
}

// Moves a vote down a heap whose worst is at the top.
static void sink(ck_vote *heap, size_t count, size_t place, ck_vote vote) {
  for (;;) {
    size_t child = 2 * place + 1;
    if (child >= count) break;
    if (child + 1 < count && is_better(heap[child], heap[child + 1])) child++;
    if (!is_better(vote, heap[child])) break;
    heap[place] = heap[child];
    place = child;
  }
  heap[place] = vote;
}

static size_t offer(ck_vote *heap, size_t count, size_t limit, ck_vote vote) {
  if (count == limit) {
    if (is_better(vote, heap[0])) sink(heap, count, 0, vote);
    return count;
  }
  size_t place = count;
  while (place > 0 && is_better(heap[(place - 1) / 2], vote)) {
    heap[place] = heap[(place - 1) / 2];
    place = (place - 1) / 2;
  }
  heap[place] = vote;
  return count + 1;
}

// Adds up the hits of one row and view over two neighboring turns; a keypoint counts once for a
// turn, by its best hit.
static uint32_t tally(const uint64_t *hits, size_t count) {
  uint32_t turns[TURNS] = {0};
  uint64_t former = ~(uint64_t)0, counted = 0;
  for (size_t i = 0; i < count; i++) {
    const uint64_t keypoint = hits[i] >> KEYPOINT_SHIFT, weight = hits[i] & ((1u << KEYPOINT_SHIFT) - 1);
    const uint64_t before = keypoint == former ? counted : 0;
    former = keypoint;
    counted = before;
    if (weight <= before) continue;
    turns[hits[i] >> TURN_SHIFT & (TURNS - 1)] += (uint32_t)(weight - before);
    counted = weight;
  }
  uint32_t most = 0;
  for (int turn = 0; turn < TURNS; turn++) {
    const uint32_t sum = turns[turn] + turns[(turn + 1) % TURNS];
    if (sum > most) most = sum;
  }
  return most;
}

size_t ck_rank_votes(uint64_t *hits, uint64_t *scratch, size_t count, const uint64_t *dead, ck_vote *best,
                     size_t limit) {
  const uint64_t *const sorted = sort_hits(hits, scratch, count);
  size_t kept = 0;
  for (size_t from = 0; from < count;) {
    const uint64_t owner = sorted[from] >> MIRROR_SHIFT;
    size_t end = from + 1;
    while (end < count && sorted[end] >> MIRROR_SHIFT == owner) end++;
    const uint32_t row = (uint32_t)(owner >> 1);
    if (dead == NULL || !(dead[row / 64] >> (row % 64) & 1)) {
      const ck_vote vote = {row, tally(sorted + from, end - from), (uint32_t)(owner & 1)};
      kept = offer(best, kept, limit, vote);
    }
    from = end;
  }
  // Moves the worst vote of the heap behind the others, until all are in order.
  for (size_t rest = kept; rest > 1; rest--) {
    const ck_vote worst = best[0];
    sink(best, rest - 1, 0, best[rest - 1]);
    best[rest - 1] = worst;
  }
  return kept;
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(size_t, collect_votes, (index, keypoints, first, hits),
          const ck_word_index *index, const ck_vote_source *keypoints, size_t first, uint64_t *hits)
