// The loops that signatures are made with and that compare one query with every stored code, one function
// per instruction set behind each.
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

// ---- PDQ: the blur before its transform -----------------------------------------------------------
//
// In single precision and in the order of the reference's additions, so that the bits agree.

// Rows that are blurred together.
enum : uint32_t { CI_PDQ_LANES = 16 };

// Brightness of `count` RGBA pixels, 0.299 R + 0.587 G + 0.114 B, correctly rounded.
void ci_pdq_luma(const uint8_t *rgba, size_t count, float *out, uint32_t level);

// Averages `window` neighbours along each of CI_PDQ_LANES rows, in place; at the ends, those that there
// are. `window` is at least 1 and at most `width`.
//
//   rows         CI_PDQ_LANES * width values, one row after the other
//   scratch      room for 2 * CI_PDQ_LANES * width
void ci_pdq_box_rows(float *rows, size_t width, size_t window, float *scratch, uint32_t level);

// The same, of which only some columns are kept.
//
//   places       `count` columns
//   out          room for CI_PDQ_LANES * count, one row after the other
void ci_pdq_box_rows_at(const float *rows, size_t width, size_t window, const uint32_t *places,
                        size_t count, float *scratch, float *out, uint32_t level);

// Moves the box down the columns by one row, which takes the place of the oldest, and averages.
void ci_pdq_box_columns(const float *row, size_t width, float window, float *oldest, float *sums,
                        float *out, uint32_t level);

// Sum of the steps between neighbours of a plane of 64 x 64, in whole hundredths of 255.
uint32_t ci_pdq_steps(const float *plane, uint32_t level);

// ---- Reduction by area ----------------------------------------------------------------------------

// Adds `count` bytes of a row, times a share, to sums of as many.
void ci_area_add_row(const uint8_t *row, size_t count, uint32_t share, uint32_t *sums,
                     uint32_t level);

// What a column of the result takes of a row: pixels that lie whole in it, and a share of the next
// one, in parts of the result's width; what is left of that belongs to the next column.
typedef struct {
  uint32_t whole, share;
} ci_area_cut;

// Makes a row of the result from the sums of the rows that lie in it: `width` pixels of four bytes.
//
//   sums         four for each pixel of the source
//   area         pixels of the source, below 2^43
void ci_area_finish_row(const uint32_t *sums, const ci_area_cut *cuts, size_t width, uint64_t area,
                        uint8_t *out, uint32_t level);

// ---- Colors ----------------------------------------------------------------------------------------
//
// A color is four floats: lightness, a and b of Oklab, and one that is not looked at.

// Oklab of `count` RGBA pixels; `linear` is the linear light of each of 256 bytes.
void ci_oklab(const uint8_t *rgba, size_t count, const float *linear, float *out, uint32_t level);

enum : uint32_t { CI_COLOR_BINS = 192, CI_STEP_BINS = 64 };

// Adds each color's weight to the CI_COLOR_BINS bins around it: that of lightness l, a and b stands at
// 64 l + 8 a + b.
void ci_color_bins(const float *pixels, const float *weights, size_t count, float *bins,
                   uint32_t level);

// Adds the steps from every other pixel to those `reach` to its right and below it to the CI_STEP_BINS
// bins around them, times the pixel's weight: that of steps l, a and b stands at 16 l + 4 a + b.
//
// Returns the sum of the weights, each as often as it was added.
float ci_step_bins(const float *pixels, const float *weights, size_t width, size_t height,
                   size_t reach, float *bins, uint32_t level);

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

enum : uint32_t { CI_PATCH_PAIRS = 256, CI_PATCH_RADIUS = 12 };

// Compares pairs of places around x and y, beyond the edge those on it: a bit of `words` is set where
// the first place of a pair is less than the second.
//
//   sums         width * height values
//   pairs        CI_PATCH_PAIRS times column and row of the first place, then of the second
//   words        4
void ci_patch_hash(const uint16_t *sums, int32_t width, int32_t height, int32_t x, int32_t y,
                   const int8_t *pairs, uint64_t *words, uint32_t level);

// The brightness of a disk of CI_PATCH_RADIUS around x and y, times the distance from there to the right
// and down; what lies beyond the edge is black.
void ci_patch_moments(const uint8_t *luma, int32_t width, int32_t height, int32_t x, int32_t y,
                      int32_t *across, int32_t *down, uint32_t level);

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
