// Comparison of 256-bit codes with several queries by table look-ups, for processors that have AVX2
// but cannot count the bits of a vector.
//
// Four blocks are taken at a time. Their 32 codes are turned so that a vector holds the same four bits of each of them,
// and an instruction then looks up 32 counts at once. The entries are the numbers of bits that differ, two in a byte:
// those from two queries, or two parts of the number from which the distances to four mirror images follow.
#ifndef NIBBLE_SCAN_H
#define NIBBLE_SCAN_H

#include "kernel_level.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define CK_INLINE_AVX2 CK_TARGET_AVX2 CK_INLINE

enum {
  QUAD_BLOCKS = 4,
  QUAD_CODES = QUAD_BLOCKS * CK_CODES_PER_BLOCK,
  QUAD_WORDS = QUAD_BLOCKS * CK_WORDS_PER_BLOCK,
  // The number of quads that are compared at a time: 2048 codes, as many as a search passes. While
  // one group of queries after another has its tables on the stack, the least distances of these
  // quads are kept.
  QUADS_AT_ONCE = 64,
  QUERIES_AT_ONCE = 16,
  // A code is 16 rows of 16 bits, and a row is four nibbles. The even rows come first.
  NIBBLES = 64,
  MIRRORS = 4,
  // The largest number of corrections for which mirror images are compared together. With more,
  // comparing two queries at a time is faster.
  MOST_FIXES = 64,
};

// ---- The nibbles of 32 codes --------------------------------------------------------------------

// Writes 64 vectors, each with the same nibble of all 32 codes. The low half of a vector has the
// codes 0, 1, 4, 5, ... and the high half the codes 2, 3, 6, 7, ...
CK_INLINE_AVX2 void turn_quad(const uint64_t *blocks, __m256i *nibbles) {
  const __m256i half = _mm256_set1_epi8(15);
  const __m256i zip = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
  for (uint32_t w = 0; w < 4; w++) {
    // In each half of a vector, bytes of two codes side by side, then of four, then of eight.
    __m256i two[8], four[8], eight[8];
#pragma clang loop unroll(full)
    for (uint32_t i = 0; i < 8; i++) {
      const uint64_t *words = blocks + i / 2 * CK_WORDS_PER_BLOCK + 8 * w + i % 2 * 4;
      two[i] = _mm256_shuffle_epi8(_mm256_loadu_si256((const __m256i *)(const void *)words), zip);
    }
#pragma clang loop unroll(full)
    for (uint32_t i = 0; i < 4; i++) {
      four[i] = _mm256_unpacklo_epi16(two[2 * i], two[2 * i + 1]);
      four[4 + i] = _mm256_unpackhi_epi16(two[2 * i], two[2 * i + 1]);
    }
#pragma clang loop unroll(full)
    for (uint32_t i = 0; i < 4; i++) {
      const uint32_t to = i / 2 * 4 + i % 2;
      eight[to] = _mm256_unpacklo_epi32(four[2 * i], four[2 * i + 1]);
      eight[to + 2] = _mm256_unpackhi_epi32(four[2 * i], four[2 * i + 1]);
    }
#pragma clang loop unroll(full)
    for (uint32_t row = 0; row < 4; row++) {
      const __m256i low = _mm256_unpacklo_epi64(eight[2 * row], eight[2 * row + 1]);
      const __m256i high = _mm256_unpackhi_epi64(eight[2 * row], eight[2 * row + 1]);
      __m256i *to = nibbles + row % 2 * (NIBBLES / 2) + 8 * w + row / 2 * 4;
      to[0] = _mm256_and_si256(low, half);
      to[1] = _mm256_and_si256(_mm256_srli_epi16(low, 4), half);
      to[2] = _mm256_and_si256(high, half);
      to[3] = _mm256_and_si256(_mm256_srli_epi16(high, 4), half);
    }
  }
}

// The index in turn_quad's output of a nibble of a code; nibble 0 is the lowest of the first word.
CK_INLINE uint32_t place_of(uint32_t nibble) {
  const uint32_t row = nibble / 4;
  return row % 2 * (NIBBLES / 2) + row / 2 * 4 + nibble % 4;
}

// ---- Tables -------------------------------------------------------------------------------------

// For each value of a query's nibble, a table of the bits that differ from the nibble of a code.
typedef struct {
  // The number of differing bits, in the low half of a byte or in its high half.
  __m128i low[16], high[16];
  // The number of differing bits in even columns in the low half of a byte, of those in odd columns
  // in its high half.
  __m128i columns[16];
} Tables;

CK_INLINE_AVX2 void make_tables(Tables *tables) {
  const __m128i nibbles = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m128i bits = _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m128i columns = _mm_setr_epi8(0x00, 0x01, 0x10, 0x11, 0x01, 0x02, 0x11, 0x12, 0x10, 0x11, 0x20,
                                        0x21, 0x11, 0x12, 0x21, 0x22);
  for (uint32_t i = 0; i < 16; i++) {
    const __m128i differ = _mm_xor_si128(nibbles, _mm_set1_epi8((char)i));
    tables->low[i] = _mm_shuffle_epi8(bits, differ);
    tables->high[i] = _mm_slli_epi16(tables->low[i], 4);
    tables->columns[i] = _mm_shuffle_epi8(columns, differ);
  }
}

CK_INLINE uint8_t nibble(const uint64_t *code, uint32_t number) {
  return code[number / 16] >> (number % 16 * 4) & 15;
}

CK_INLINE_AVX2 __m256i look_up(const __m128i *table, const __m256i *nibbles) {
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_load_si128(table)), *nibbles);
}

// Makes the tables of two queries. The low half of a byte counts the bits that differ from the
// first query, the high half those that differ from the second.
CK_INLINE_AVX2 void make_pair(const Tables *tables, const uint64_t *first, const uint64_t *second,
                              __m128i *pair) {
  for (uint32_t i = 0; i < NIBBLES; i++) {
    pair[place_of(i)] = _mm_add_epi8(tables->low[nibble(first, i)], tables->high[nibble(second, i)]);
  }
}

// The hashes of an image and of its mirror images: top to bottom, left to right, and both.
//
// In a mirror image, every second row or column of cosine terms has the opposite sign. The hash has
// the opposite bits there, but for a few near the median. So the bits that differ from one code,
// counted apart for even and odd rows and columns, give distances to all four hashes. They are
// wrong by those few bits at most, and are corrected if a code may be within the limit.
typedef struct {
  // The tables of the majority hash: the low half of a byte counts bits of even columns, the high
  // half those of odd columns.
  __m128i tables[NIBBLES];
  // The corrections of all four hashes one after the other, the nibble to which each belongs, and
  // where those of each hash end.
  __m128i fixes[MOST_FIXES];
  uint8_t places[MOST_FIXES];
  uint32_t fix_ends[MIRRORS];
  // The number of bits of each hash that are corrected.
  uint8_t errors[MIRRORS];
} Mirrors;

// For each mirror image, the bits of a word that it has inverted.
static const uint64_t mirror_bits[MIRRORS] = {0, 0x0000FFFF0000FFFF, 0x5555555555555555,
                                              0x0000FFFF0000FFFF ^ 0x5555555555555555};

// Returns whether the hashes, in the order of mirror_bits, are similar enough.
CK_INLINE_AVX2 int make_mirrors(const Tables *tables, const uint64_t *const hashes[MIRRORS],
                                Mirrors *mirrors) {
  // The majority of the four hashes, each turned back to the original image.
  uint64_t code[4];
  for (uint32_t w = 0; w < 4; w++) {
    const uint64_t a = hashes[0][w], b = hashes[1][w] ^ mirror_bits[1];
    const uint64_t c = hashes[2][w] ^ mirror_bits[2], d = hashes[3][w] ^ mirror_bits[3];
    code[w] = (a & (b | c | d)) | (b & c & d);
  }
  uint32_t fixes = 0;
  for (uint32_t m = 0; m < MIRRORS; m++) {
    uint32_t errors = 0;
    for (uint32_t w = 0; w < 4; w++) {
      const uint64_t mirrored = code[w] ^ mirror_bits[m];
      uint64_t differ = mirrored ^ hashes[m][w];
      errors += (uint32_t)__builtin_popcountll(differ);
      while (differ != 0) {
        if (fixes == MOST_FIXES) return 0;
        const uint32_t i = (uint32_t)__builtin_ctzll(differ) / 4;
        differ &= ~((uint64_t)15 << 4 * i);
        mirrors->fixes[fixes] =
            _mm_sub_epi8(tables->low[nibble(hashes[m] + w, i)], tables->low[nibble(&mirrored, i)]);
        mirrors->places[fixes++] = (uint8_t)place_of(16 * w + i);
      }
    }
    mirrors->fix_ends[m] = fixes;
    mirrors->errors[m] = (uint8_t)(errors < UINT8_MAX ? errors : UINT8_MAX);
  }
  for (uint32_t i = 0; i < NIBBLES; i++) {
    mirrors->tables[place_of(i)] = tables->columns[nibble(code, i)];
  }
  return 1;
}

// Finds three unused queries that are the mirror images of query `first`. The order of the queries
// is the caller's, and a query may have other companions or none.
CK_INLINE_AVX2 int find_mirrors(const uint64_t *queries, size_t count, size_t first, uint32_t used,
                                size_t found[MIRRORS]) {
  found[0] = first;
  for (uint32_t m = 1; m < MIRRORS; m++) {
    size_t q = first + 1;
    for (; q < count; q++) {
      // Comparing a quarter of the bits suffices to find a likely one: of unrelated hashes, half of
      // the bits differ. make_mirrors then compares all bits.
      const uint64_t others = queries[4 * first] ^ queries[4 * q] ^ mirror_bits[m];
      if (!(used >> q & 1) && __builtin_popcountll(others) <= 16) break;
    }
    if (q == count) return 0;
    used |= 1u << q;
    found[m] = q;
  }
  return 1;
}

// ---- Distances ----------------------------------------------------------------------------------

// All distances are bytes, modulo 256: a distance of 256 reads as 0.

CK_INLINE_AVX2 __m256i largest(uint32_t limit) {
  return _mm256_set1_epi8((char)(limit < UINT8_MAX ? limit : UINT8_MAX));
}

CK_INLINE_AVX2 int none_within(__m256i distances, __m256i most) {
  const __m256i within = _mm256_cmpeq_epi8(_mm256_min_epu8(distances, most), distances);
  return _mm256_testz_si256(within, within);
}

// Returns the counts in the low halves of bytes. `sums` are the sums of whole bytes, `high_counts`
// those of their high halves.
CK_INLINE_AVX2 __m256i low_counts(__m256i sums, __m256i high_counts) {
  const __m256i low = _mm256_set1_epi8(15);
  return _mm256_sub_epi8(sums, _mm256_slli_epi16(_mm256_and_si256(high_counts, low), 4));
}

// Returns the smaller of the distances to two queries.
CK_INLINE_AVX2 __m256i nearer_of_pair(const __m256i *nibbles, const __m128i *tables) {
  const __m256i high = _mm256_set1_epi8((char)0xF0);
  __m256i sums = _mm256_setzero_si256(), counts = _mm256_setzero_si256();
  // Three nibbles have at most twelve bits, which fit half a byte. The high halves are added by
  // averaging: the mean of two is exact and needs no more bits. It is a multiple of a power of two,
  // so shifting two bytes at a time moves no bit from one into the other.
#pragma clang loop unroll(disable)
  for (uint32_t place = 0; place < NIBBLES - 4; place += 12) {
    __m256i parts[4];
#pragma clang loop unroll(full)
    for (uint32_t i = 0; i < 4; i++) {
      const __m128i *part = tables + place + 3 * i;
      const __m256i *from = nibbles + place + 3 * i;
      const __m256i two = _mm256_add_epi8(look_up(part, from), look_up(part + 1, from + 1));
      const __m256i sum = _mm256_add_epi8(two, look_up(part + 2, from + 2));
      sums = _mm256_add_epi8(sums, sum);
      parts[i] = _mm256_and_si256(sum, high);
    }
    const __m256i mean =
        _mm256_avg_epu8(_mm256_avg_epu8(parts[0], parts[1]), _mm256_avg_epu8(parts[2], parts[3]));
    counts = _mm256_add_epi8(counts, _mm256_srli_epi16(mean, 2));
  }
  const __m128i *rest = tables + NIBBLES - 4;
  const __m256i *from = nibbles + NIBBLES - 4;
  const __m256i first = _mm256_add_epi8(look_up(rest, from), look_up(rest + 1, from + 1));
  const __m256i second = _mm256_add_epi8(look_up(rest + 2, from + 2), look_up(rest + 3, from + 3));
  sums = _mm256_add_epi8(sums, _mm256_add_epi8(first, second));
  const __m256i mean = _mm256_avg_epu8(_mm256_and_si256(first, high), _mm256_and_si256(second, high));
  counts = _mm256_add_epi8(counts, _mm256_srli_epi16(mean, 3));
  return _mm256_min_epu8(low_counts(sums, counts), counts);
}

// Returns the smallest of the distances to four hashes, or 255 for all codes if none can be within
// `most`.
CK_INLINE_AVX2 __m256i nearest_of_mirrors(const __m256i *nibbles, const Mirrors *mirrors,
                                          __m256i most) {
  const __m256i high = _mm256_set1_epi8((char)0xF0);
  // The counts of even columns and of odd columns: for even rows at index 0, for odd rows at index
  // 1.
  __m256i even[2], odd[2];
#pragma clang loop unroll(full)
  for (uint32_t h = 0; h < 2; h++) {
    // Seven nibbles have at most 14 bits of even columns and as many of odd ones.
    __m256i sums = _mm256_setzero_si256(), parts[5];
#pragma clang loop unroll(full)
    for (uint32_t i = 0; i < 5; i++) {
      __m256i sum = _mm256_setzero_si256();
#pragma clang loop unroll(full)
      for (uint32_t k = 7 * i; k < (i < 4 ? 7 * i + 7 : NIBBLES / 2); k++) {
        const uint32_t place = NIBBLES / 2 * h + k;
        sum = _mm256_add_epi8(sum, look_up(mirrors->tables + place, nibbles + place));
      }
      sums = _mm256_add_epi8(sums, sum);
      parts[i] = _mm256_and_si256(sum, high);
    }
    const __m256i mean =
        _mm256_avg_epu8(_mm256_avg_epu8(parts[0], parts[1]), _mm256_avg_epu8(parts[2], parts[3]));
    odd[h] = _mm256_add_epi8(_mm256_srli_epi16(mean, 2), _mm256_srli_epi16(parts[4], 4));
    even[h] = low_counts(sums, odd[h]);
  }
  // In the mirror image, 128 bits are inverted. So for these bits the number that differ is 128
  // minus the number counted.
  const __m256i opposite = _mm256_set1_epi8((char)128);
  const __m256i even_rows = _mm256_add_epi8(even[0], odd[0]);
  const __m256i odd_rows = _mm256_add_epi8(even[1], odd[1]);
  const __m256i even_columns = _mm256_add_epi8(even[0], even[1]);
  const __m256i odd_columns = _mm256_add_epi8(odd[0], odd[1]);
  const __m256i same = _mm256_add_epi8(even[0], odd[1]);
  const __m256i mixed = _mm256_add_epi8(odd[0], even[1]);
  __m256i distances[MIRRORS] = {
      _mm256_add_epi8(even_rows, odd_rows),
      _mm256_add_epi8(opposite, _mm256_sub_epi8(odd_rows, even_rows)),
      _mm256_add_epi8(opposite, _mm256_sub_epi8(odd_columns, even_columns)),
      _mm256_add_epi8(opposite, _mm256_sub_epi8(same, mixed)),
  };
  __m256i bound = _mm256_set1_epi8((char)UINT8_MAX);
#pragma clang loop unroll(full)
  for (uint32_t m = 0; m < MIRRORS; m++) {
    const __m256i errors = _mm256_set1_epi8((char)mirrors->errors[m]);
    bound = _mm256_min_epu8(bound, _mm256_subs_epu8(distances[m], errors));
  }
  if (__builtin_expect(none_within(bound, most), 1)) return _mm256_set1_epi8((char)UINT8_MAX);
  uint32_t fix = 0;
#pragma clang loop unroll(full)
  for (uint32_t m = 0; m < MIRRORS; m++) {
    // An entry of a correction is a difference between two distances, modulo 256.
    for (; fix < mirrors->fix_ends[m]; fix++) {
      const __m256i change = look_up(mirrors->fixes + fix, nibbles + mirrors->places[fix]);
      distances[m] = _mm256_add_epi8(distances[m], change);
    }
  }
  return _mm256_min_epu8(_mm256_min_epu8(distances[0], distances[1]),
                         _mm256_min_epu8(distances[2], distances[3]));
}

// ---- The scan -----------------------------------------------------------------------------------

CK_INLINE_AVX2 uint32_t least_distance(const uint64_t *code, const uint64_t *queries,
                                       size_t query_count) {
  uint32_t least = UINT32_MAX;
  for (size_t q = 0; q < query_count; q++) {
    uint32_t distance = 0;
    for (uint32_t w = 0; w < 4; w++) {
      distance += (uint32_t)__builtin_popcountll(code[8 * w] ^ queries[4 * q + w]);
    }
    if (distance < least) least = distance;
  }
  return least;
}

// Compares whole quads with at most QUERIES_AT_ONCE queries. `least` keeps the smallest distance of
// each code; distances beyond the limit may be left out.
CK_INLINE_AVX2 void lower_distances(const uint64_t *blocks, size_t quad_count, const uint64_t *queries,
                                    size_t query_count, uint32_t limit, __m256i *least) {
  Tables tables;
  make_tables(&tables);
  Mirrors mirrors[QUERIES_AT_ONCE / MIRRORS];
  __m128i pairs[QUERIES_AT_ONCE / 2][NIBBLES];
  size_t mirror_count = 0, pair_count = 0, single = QUERIES_AT_ONCE;
  uint32_t used = 0;
  for (size_t q = 0; q < query_count; q++) {
    if (used >> q & 1) continue;
    used |= 1u << q;
    size_t found[MIRRORS];
    if (find_mirrors(queries, query_count, q, used, found)) {
      const uint64_t *hashes[MIRRORS];
      for (uint32_t m = 0; m < MIRRORS; m++) hashes[m] = queries + 4 * found[m];
      if (make_mirrors(&tables, hashes, &mirrors[mirror_count])) {
        mirror_count++;
        for (uint32_t m = 0; m < MIRRORS; m++) used |= 1u << found[m];
        continue;
      }
    }
    if (single == QUERIES_AT_ONCE) {
      single = q;
    } else {
      make_pair(&tables, queries + 4 * single, queries + 4 * q, pairs[pair_count++]);
      single = QUERIES_AT_ONCE;
    }
  }
  if (single < QUERIES_AT_ONCE) {
    make_pair(&tables, queries + 4 * single, queries + 4 * single, pairs[pair_count++]);
  }
  const __m256i most = largest(limit);
  __m256i nibbles[NIBBLES];
  for (size_t i = 0; i < quad_count; i++) {
    turn_quad(blocks + i * QUAD_WORDS, nibbles);
    // The look-ups take so many instructions that the processor does not load the next quads early
    // by itself.
    if (i + 2 < quad_count) {
      const uint64_t *ahead = blocks + (i + 2) * QUAD_WORDS;
#pragma clang loop unroll(full)
      for (uint32_t word = 0; word < QUAD_WORDS; word += 8) {
        _mm_prefetch((const char *)(ahead + word), _MM_HINT_T0);
      }
    }
    for (size_t m = 0; m < mirror_count; m++) {
      least[i] = _mm256_min_epu8(least[i], nearest_of_mirrors(nibbles, &mirrors[m], most));
    }
    for (size_t p = 0; p < pair_count; p++) {
      least[i] = _mm256_min_epu8(least[i], nearer_of_pair(nibbles, pairs[p]));
    }
  }
}

// Reports the codes of a quad that are near enough. `first` is the index of the quad's first code.
CK_INLINE_AVX2 size_t report_quad(const uint64_t *blocks, size_t first, __m256i least,
                                  const uint64_t *queries, size_t query_count, uint32_t limit,
                                  uint32_t *hit_indices, uint32_t *hit_distances) {
  // Once the heap of the caller is full, hardly any code is near enough, so this return is almost
  // always taken.
  if (__builtin_expect(none_within(least, largest(limit)), 1)) return 0;
  // Puts the distances into the order of the codes, which alternate between the halves of a vector.
  uint8_t bytes[QUAD_CODES];
  const __m128i low = _mm256_castsi256_si128(least), high = _mm256_extracti128_si256(least, 1);
  _mm_storeu_si128((__m128i *)(void *)bytes, _mm_unpacklo_epi16(low, high));
  _mm_storeu_si128((__m128i *)(void *)(bytes + 16), _mm_unpackhi_epi16(low, high));
  size_t hits = 0;
  for (uint32_t c = 0; c < QUAD_CODES; c++) {
    uint32_t distance = bytes[c];
    if (distance > limit) continue;
    if (distance == 0) {
      const uint64_t *code =
          blocks + c / CK_CODES_PER_BLOCK * CK_WORDS_PER_BLOCK + c % CK_CODES_PER_BLOCK;
      distance = least_distance(code, queries, query_count);
      if (distance > limit) continue;
    }
    hit_indices[hits] = (uint32_t)(first + c);
    hit_distances[hits] = distance;
    hits++;
  }
  return hits;
}

// Compares whole quads.
CK_INLINE_AVX2 size_t scan_quads(const uint64_t *blocks, size_t quad_count, const uint64_t *queries,
                                 size_t query_count, uint32_t limit, uint32_t *hit_indices,
                                 uint32_t *hit_distances) {
  size_t hits = 0;
  for (size_t start = 0; start < quad_count; start += QUADS_AT_ONCE) {
    const uint64_t *from = blocks + start * QUAD_WORDS;
    const size_t count = quad_count - start < QUADS_AT_ONCE ? quad_count - start : QUADS_AT_ONCE;
    __m256i least[QUADS_AT_ONCE];
    for (size_t i = 0; i < count; i++) least[i] = _mm256_set1_epi8((char)UINT8_MAX);
    for (size_t q = 0; q < query_count; q += QUERIES_AT_ONCE) {
      const size_t rest = query_count - q;
      lower_distances(from, count, queries + 4 * q, rest < QUERIES_AT_ONCE ? rest : QUERIES_AT_ONCE,
                      limit, least);
    }
    for (size_t i = 0; i < count; i++) {
      hits += report_quad(from + i * QUAD_WORDS, (start + i) * QUAD_CODES, least[i], queries,
                          query_count, limit, hit_indices + hits, hit_distances + hits);
    }
  }
  return hits;
}
#endif

#endif
