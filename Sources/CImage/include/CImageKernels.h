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
enum : uint32_t { CI_L1_ROW_BYTES = 288 };

// Finds the rows of bytes whose sum of absolute differences to the query is at most `limit`.
//
//   rows         row_count * CI_L1_ROW_BYTES bytes
//   query        CI_L1_ROW_BYTES bytes
//   hit_indices, hit_distances   room for row_count
//
// Returns the number of hits, which are in ascending order of their index.
size_t ci_l1_scan(const uint8_t *rows, size_t row_count, const uint8_t *query, uint32_t limit,
                  uint32_t *hit_indices, uint32_t *hit_distances, uint32_t level);

// ---- Keypoints: the planes that corners and their hashes are read from ---------------------------
//
// Planes are row-major without padding. Sizes are at most 2048 x 2048.

// Brightness of `count` RGBA pixels, (77 R + 150 G + 29 B + 128) / 256.
void ci_luma(const uint8_t *rgba, size_t count, uint8_t *luma, uint32_t level);

// Means of 2 x 2 pixels: width / 2 by height / 2 of them, what is left over is dropped.
void ci_reduce_by_2(const uint8_t *luma, size_t width, size_t height, uint8_t *out, uint32_t level);

// Makes two columns and rows of three by area: 2 * (width / 3) by 2 * (height / 3) pixels.
void ci_reduce_by_3_2(const uint8_t *luma, size_t width, size_t height, uint8_t *out,
                      uint32_t level);

enum : uint32_t { CI_BOX_RADIUS = 2 };

// Sums over the 5 x 5 pixels around each; the picture's edge is repeated outwards.
//
//   columns      room for width + 4
void ci_box_sums(const uint8_t *luma, size_t width, size_t height, uint16_t *columns, uint16_t *out,
                 uint32_t level);

enum : uint32_t { CI_CORNER_SCRATCH = 28 };

// Finds corners: pixels where the smaller eigenvalue of the second moments of the gradient over 7 x 7
// pixels, times two, is above `threshold` and above that of the eight around; of equal neighbours the
// first. None is found within four pixels of the edge.
//
//   scratch      room for CI_CORNER_SCRATCH * width
//   places, responses   room for `capacity`; places are y * width + x, ascending
//
// Returns their number, at most `capacity`.
size_t ci_corners(const uint8_t *luma, size_t width, size_t height, float threshold,
                  int32_t *scratch, uint32_t *places, float *responses, size_t capacity,
                  uint32_t level);

// Finds the nearest of up to 65 535 codes, of which there is at least one, for each query.
//
//   queries      query_count * 4 words
//   blocks       block_count * CI_WORDS_PER_BLOCK words that hold code_count codes
//   best         distance * 65 536 + index of the nearest, the first of equal ones
void ci_nearest_codes(const uint64_t *queries, size_t query_count, const uint64_t *blocks,
                      size_t block_count, size_t code_count, uint32_t *best, uint32_t level);

// Finds which of some codes are within `limit` of a query.
//
//   blocks       code_count codes in blocks of CI_CODES_PER_BLOCK
//   postings     the codes to look at; those of code_count and more are passed over
//   hits, distances   room for posting_count
//
// Returns the number of hits, in the order of the postings.
size_t ci_verify_postings(const uint64_t *query, const uint64_t *blocks, size_t code_count,
                          const uint32_t *postings, size_t posting_count, uint32_t limit,
                          uint32_t *hits, uint32_t *distances, uint32_t level);

// Pixels whose neighbourhood spans less than the contrast have the last class.
enum : uint32_t { CI_TEXTURE_CLASSES = 11, CI_TEXTURE_CONTRAST = 8 };

// Counts the local binary patterns of all pixels but the outermost: by how many of their eight
// neighbours are at least as bright (0...8), 9 where that changes more than twice around the pixel,
// and 10 where there is no contrast.
//
//   width, height  at least 3
//   classes      room for width
//   counts       room for CI_TEXTURE_CLASSES
void ci_texture_counts(const uint8_t *luma, size_t width, size_t height, uint8_t *classes,
                       uint32_t *counts, uint32_t level);

#endif
