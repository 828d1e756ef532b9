// The loops that compare one query with every stored code, one function per instruction set behind each.
//
// Nothing here allocates, fails or keeps state. Every level gives the same numbers.
#ifndef CIMAGE_KERNELS_H
#define CIMAGE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

// What the processor offers, in rising order; a level includes those before it.
enum : uint32_t {
  CI_LEVEL_BASE = 0,    // x86-64 without POPCNT; on other processors the only level (NEON on arm64)
  CI_LEVEL_POPCNT = 1,  // x86-64-v2
  CI_LEVEL_AVX2 = 2,    // x86-64-v3
  CI_LEVEL_AVX512 = 3,  // AVX-512 F, BW, VL and VPOPCNTDQ
};

// The highest level of this processor. Looked up once; safe from any thread.
uint32_t ci_kernel_level(void);

// A block is eight 256-bit codes stored as 4 rows of 8 words: word w of code c stands at 8 * w + c.
enum : uint32_t { CI_CODES_PER_BLOCK = 8, CI_WORDS_PER_BLOCK = 32 };

// Finds the codes whose least Hamming distance to any of the queries is at most `limit`.
//
//   blocks       block_count * CI_WORDS_PER_BLOCK words
//   queries      query_count * 4 words, query_count >= 1
//   hit_indices, hit_distances   room for 8 * block_count; hit_indices count codes from 0
//   level        at most ci_kernel_level()
//
// Returns the number of hits, which are in ascending order of their index.
size_t ci_hamming_scan(const uint64_t *blocks, size_t block_count, const uint64_t *queries,
                       size_t query_count, uint32_t limit, uint32_t *hit_indices,
                       uint32_t *hit_distances, uint32_t level);

// The rows of ci_l1_scan have this many bytes.
enum : uint32_t { CI_L1_ROW_BYTES = 192 };

// Finds the rows of bytes whose sum of absolute differences to the query is at most `limit`.
//
//   rows         row_count * CI_L1_ROW_BYTES bytes
//   query        CI_L1_ROW_BYTES bytes
//   hit_indices, hit_distances   room for row_count
//
// Returns the number of hits, which are in ascending order of their index.
size_t ci_l1_scan(const uint8_t *rows, size_t row_count, const uint8_t *query, uint32_t limit,
                  uint32_t *hit_indices, uint32_t *hit_distances, uint32_t level);

#endif
