// Loops that compute signatures, and loops that compare a query with every stored code.
//
// Each function is compiled once per instruction set, and `level` selects one of the copies. All
// copies return the same bits. No function allocates, fails or keeps state.
#ifndef CKERNELS_H
#define CKERNELS_H

#include <stddef.h>
#include <stdint.h>

// The instruction sets in rising order; each includes those before it.
enum : uint32_t {
  CK_LEVEL_BASE = 0,    // x86-64 without POPCNT; on other processors the only level (NEON on arm64)
  CK_LEVEL_POPCNT = 1,  // x86-64-v2
  CK_LEVEL_AVX2 = 2,    // x86-64-v3
  CK_LEVEL_AVX512 = 3,  // AVX-512 F, BW, VL, DQ and VPOPCNTDQ
};

// Returns the highest level of this processor. No function below may be called with a higher one.
uint32_t ck_kernel_level(void);

// ---- 256-bit codes --------------------------------------------------------------------------------

// A block is eight codes stored as 4 rows of 8 words: word w of code c is at 8 * w + c.
enum : uint32_t { CK_CODES_PER_BLOCK = 8, CK_WORDS_PER_BLOCK = 32 };

// Finds the codes whose smallest Hamming distance to any of the queries is at most `limit`.
//
//   blocks       block_count * CK_WORDS_PER_BLOCK words
//   queries      query_count * 4 words, query_count >= 1
//   hit_indices, hit_distances   room for 8 * block_count; hit_indices count codes from 0
//
// Returns the number of hits, which are in ascending order of their index.
size_t ck_hamming_scan(const uint64_t *blocks, size_t block_count, const uint64_t *queries,
                       size_t query_count, uint32_t limit, uint32_t *hit_indices,
                       uint32_t *hit_distances, uint32_t level);

// ---- 96-bit codes: the hashes of keypoints ----------------------------------------------------------

// A block is eight codes stored as 3 rows of 8 words: word w of code c is at 8 * w + c.
enum : uint32_t { CK_KEYPOINT_WORDS = 3, CK_KEYPOINT_BLOCK_WORDS = 24 };

// Finds the nearest of 1 to 65 535 codes for each query.
//
//   queries      query_count * CK_KEYPOINT_WORDS words
//   blocks       block_count * CK_KEYPOINT_BLOCK_WORDS words that hold code_count codes
//   best         room for query_count: distance * 65 536 + index of the nearest, the first of equal
//   ones
void ck_nearest_codes(const uint32_t *queries, size_t query_count, const uint32_t *blocks,
                      size_t block_count, size_t code_count, uint32_t *best, uint32_t level);

// ---- Votes of keypoints -----------------------------------------------------------------------------

enum : uint32_t {
  // The largest number of bits of a visual word.
  CK_WORD_BIT_LIMIT = 24,
  // The number of leading bits of a hash that a word and a posting hold together.
  CK_POSTING_HASH_BITS = 56,
  // The largest number of doubtful bits of a word for which both values are looked up.
  CK_DOUBTS = 5,
  // For each hash, this many of its least certain bits are known, in order of certainty.
  CK_KNOWN_DOUBTS = 6,
  // The number of keypoints whose hits are collected by one call.
  CK_VOTE_BATCH = 16,
};

// An inverted index. The word of a keypoint is the first word_bits bits of its hash. From the
// lowest bit, a posting has word_bits bits of its row, the eight bits of its angle, and the bits of
// its hash from word_bits to CK_POSTING_HASH_BITS.
typedef struct {
  // The words that the index has, in ascending order, or NULL if it has all of them.
  const uint32_t *words;
  // The number of words; used only if `words` is not NULL.
  size_t word_count;
  // The first posting of each word, and the end of the last one's.
  const uint32_t *starts;
  const uint64_t *postings;
  size_t posting_count;
  uint32_t word_bits, row_count;
  // Longer lists are skipped: their words are too common to tell rows apart.
  uint32_t longest;
  // The number of doubtful bits of a word for which both values are looked up, at most CK_DOUBTS.
  uint32_t doubts;
} ck_word_index;

// The keypoints of one view of a query, fewer than 1024.
typedef struct {
  // The first CK_POSTING_HASH_BITS bits of each hash; the others are zero.
  const uint64_t *hashes;
  const uint8_t *angles;
  // CK_KNOWN_DOUBTS bits of each hash, the least certain first.
  const uint8_t *doubts;
  size_t count;
  uint32_t is_mirrored;
} ck_vote_source;

// Finds the postings that are near the keypoints `first` ..< `first` + CK_VOTE_BATCH. Skips starts
// and rows that are out of range, as in a damaged file.
//
//   hits         room for CK_VOTE_BATCH << doubts times longest
//
// Returns the number of hits.
size_t ck_collect_votes(const ck_word_index *index, const ck_vote_source *keypoints, size_t first,
                        uint64_t *hits, uint32_t level);

// Lists the words that a keypoint looks up: its own, then those that differ in its most doubtful
// bits. Of a short word, whose doubtful bits are not all known, the first other bits are tried.
//
//   doubts       CK_KNOWN_DOUBTS bits, the least certain first
//   count        the number of bits for which both values are listed, at most CK_DOUBTS
//   words        room for 1 << count
//
// Returns the number of words.
size_t ck_probed_words(uint64_t hash, const uint8_t *doubts, uint32_t count, uint32_t word_bits,
                       uint32_t *words);

typedef struct {
  uint32_t row, weight, is_mirrored;
} ck_vote;

// Adds up hits by row and view.
//
//   hits         count hits, those of the keypoints of one view in their order; overwritten
//   scratch      room for count
//   dead         a bit for each row, set if the row does not count, or NULL
//   best         room for limit
//
// Returns the number of votes, the highest first, then by row, original before mirrored.
size_t ck_rank_votes(uint64_t *hits, uint64_t *scratch, size_t count, const uint64_t *dead, ck_vote *best,
                     size_t limit);

// ---- The alignment of keypoints -----------------------------------------------------------------------

// Correspondences of keypoints, the likeliest first. Every array has room for a multiple of 8,
// padded with a scale of zero and a position `to` that no transform reaches.
typedef struct {
  // Positions in the query and in the other image, in pixels.
  const double *from_x, *from_y, *to_x, *to_y;
  // The size of the other patch divided by that of the query's.
  const double *scale;
  // The square of the distance at which a pair stops to count.
  const double *limit;
  // The largest distance of a pair that agrees.
  const double *tolerance;
  // The rotation of the patch, in 256 steps of a turn.
  const uint8_t *turn;
  size_t count;
} ck_pairs;

// A rotation and scale, then a translation: x' = cosine x - sine y + x, y' = sine x + cosine y + y.
typedef struct {
  double cosine, sine, x, y;
} ck_similarity;

// Finds the similarity that most pairs agree with, of those that two pairs of similar size and
// rotation propose.
//
//   cosines, sines   the rotation of each of the first `proposers` pairs, times its scale
//   partners     the largest number of pairs that are tried with each proposer
//   best         receives the similarity, if there is one
//
// Returns its score: each pair counts up to one, less the share of its squared error in its limit.
// Zero if there is none.
double ck_best_similarity(const ck_pairs *pairs, const double *cosines, const double *sines,
                          size_t proposers, size_t partners, ck_similarity *best, uint32_t level);

// A map of the plane.
typedef struct {
  // Its nine entries, row by row.
  double matrix[9];
  // The scale and the rotation, in 256 steps of a turn, that those of the patches must agree with.
  double scale;
  uint8_t turn;
} ck_plane_map;

// Finds the pairs that agree with a map, within `factor` times their tolerance.
//
//   agreeing     receives a bit for each pair, and zeros up to the next byte
void ck_agreeing_pairs(const ck_pairs *pairs, const ck_plane_map *map, double factor, uint8_t *agreeing,
                       uint32_t level);

// ---- Rows of histogram bins -----------------------------------------------------------------------

// Two bins a byte, the first of them in the low half: a grade k stands for k * k + k * k / 8,
// rounded down.
enum : uint32_t { CK_L1_ROW_BYTES = 144 };

// Keeps those of some rows of bins whose sum of absolute differences to the query is at most `limit`.
//
//   rows         CK_L1_ROW_BYTES bytes each
//   query        2 * CK_L1_ROW_BYTES bins, a byte each
//   indices      `count` rows, of which those that are kept move to the front in their order
//   distances    room for `count`
//
// Returns the number of rows that are kept.
size_t ck_l1_filter(const uint8_t *rows, const uint8_t *query, uint32_t limit, uint32_t *indices,
                    size_t count, uint32_t *distances, uint32_t level);

// A row of sums of bins.
enum : uint32_t { CK_SUM_ROW_BYTES = 32 };

// Finds the rows of sums whose sum of absolute differences to the query is at most `limit`.
//
//   rows         row_count * CK_SUM_ROW_BYTES bytes
//   query        CK_SUM_ROW_BYTES bytes
//   hit_indices  room for row_count
//
// Returns the number of hits, which are in ascending order.
size_t ck_sum_scan(const uint8_t *rows, size_t row_count, const uint8_t *query, uint32_t limit,
                   uint32_t *hit_indices, uint32_t level);

// ---- Embeddings ----------------------------------------------------------------------------------

// A stored embedding: its model (8 bytes), one over its length (4, single precision), the number of components (2), zero
// (2), and the components, a signed byte each, padded with zeros to a multiple of eight.
enum : uint32_t { CK_EMBEDDING_HEAD_BYTES = 16, CK_EMBEDDING_BYTES = 528 };

// Finds the rows with the query's model and number of components whose distance to the query is at most `limit`. The
// distance is one minus the cosine of the angle, in 2^20ths, rounded down.
//
//   rows         row_count * row_bytes bytes, row_bytes >= query_bytes
//   query        query_bytes bytes, a multiple of 8 between CK_EMBEDDING_HEAD_BYTES and CK_EMBEDDING_BYTES
//   hit_indices, hit_distances   room for row_count
//
// Returns the number of hits, which are in ascending order of their index.
size_t ck_cosine_scan(const uint8_t *rows, size_t row_count, size_t row_bytes, const uint8_t *query,
                      size_t query_bytes, uint32_t limit, uint32_t *hit_indices,
                      uint32_t *hit_distances, uint32_t level);

// ---- PDQ: the blur before its transform -----------------------------------------------------------
//
// In single precision and with additions in the order of the reference, so that the bits agree.

// The number of rows that are blurred together.
enum : uint32_t { CK_PDQ_LANES = 16 };

// Computes the brightness of `count` RGBA pixels: 0.299 R + 0.587 G + 0.114 B, correctly rounded.
void ck_pdq_luma(const uint8_t *rgba, size_t count, float *out, uint32_t level);

// Averages `window` neighbors along each of CK_PDQ_LANES rows, in place; fewer at the ends of a
// row. `window` is at least 1 and at most `width`.
//
//   rows         CK_PDQ_LANES * width values, one row after the other
//   scratch      room for 2 * CK_PDQ_LANES * width
void ck_pdq_box_rows(float *rows, size_t width, size_t window, float *scratch, uint32_t level);

// Averages like ck_pdq_box_rows, and stores only some of the columns.
//
//   columns      `count` columns, each less than width
//   out          room for CK_PDQ_LANES * count, one row after the other
void ck_pdq_box_rows_at(const float *rows, size_t width, size_t window, const uint32_t *columns,
                        size_t count, float *scratch, float *out, uint32_t level);

// Moves the box down the columns by one row, which replaces the oldest one, and averages.
//
//   row, oldest, sums, out       width values
void ck_pdq_box_columns(const float *row, size_t width, float window, float *oldest, float *sums,
                        float *out, uint32_t level);

// The number of terms along each side of the cosine transform, as many as there are lanes.
enum : uint32_t { CK_PDQ_TERMS = CK_PDQ_LANES };

// Computes the terms of a 64 x 64 plane: the cosines times the plane, times the transposed cosines.
//
//   cosines      CK_PDQ_TERMS rows of 64
//   terms        room for CK_PDQ_TERMS * CK_PDQ_TERMS
void ck_pdq_terms(const float *plane, const float *cosines, float *terms, uint32_t level);

// Returns the sum of the steps between neighbors of a 64 x 64 plane, in whole hundredths of 255.
uint32_t ck_pdq_steps(const float *plane, uint32_t level);

// ---- Enlargement ----------------------------------------------------------------------------------

// The sum of the four weights of a place, as a power of two.
enum { CK_CUBIC_BITS = 14, CK_CUBIC_ONE = 1 << CK_CUBIC_BITS };

// The four pixels, or rows, that a new one is mixed of, each with its weight.
typedef struct {
  uint32_t sources[4];
  int32_t weights[4];
} ck_cubic_place;

// Mixes each of `width` new pixels of four bytes of four pixels of a row.
void ck_cubic_row(const uint8_t *row, const ck_cubic_place *places, size_t width,
                  uint8_t *restrict out, uint32_t level);

// Mixes a new row of four rows of `count` bytes each.
void ck_cubic_rows(const uint8_t *rows, size_t count, const ck_cubic_place *place,
                   uint8_t *restrict out, uint32_t level);

// ---- Reduction by area ----------------------------------------------------------------------------

// Sets `count` sums to as many bytes of a row, each times `share`.
void ck_area_start_row(const uint8_t *row, size_t count, uint32_t share, uint32_t *sums,
                       uint32_t level);

// Adds `count` bytes of a row, each times `share`, to as many sums.
void ck_area_add_row(const uint8_t *row, size_t count, uint32_t share, uint32_t *sums,
                     uint32_t level);

// The part of a source row that a column of the result covers: `whole` pixels, and a share of the
// next pixel in units of 1 / width of the result. The rest of that pixel belongs to the next
// column.
typedef struct {
  uint32_t whole, share;
} ck_area_cut;

// Makes a row of the result from the sums of the source rows that it covers.
//
//   sums         four for each pixel of the source row, below 2^28; the cuts cover whole + 1 pixels each
//   cuts         one for each of `width` pixels of the result
//   area         number of pixels of the source, 1 to 2^43 - 1
//   out          room for 4 * width
void ck_area_finish_row(const uint32_t *sums, const ck_area_cut *cuts, size_t width, uint64_t area,
                        uint8_t *out, uint32_t level);

// ---- Colors ---------------------------------------------------------------------------------------
//
// A color is four floats: lightness, a and b of Oklab, and one that is ignored.

typedef struct {
  float lightness, a, b;
} ck_oklab_color;

// Converts the cube roots of the three cones' responses to Oklab.
static inline __attribute__((always_inline)) ck_oklab_color ck_oklab_of_cones(float l, float m, float s) {
  // A fused multiply and add would round once where other processors round twice.
#pragma STDC FP_CONTRACT OFF
  const ck_oklab_color color = {
      .lightness = 0.21045426f * l + 0.7936178f * m - 0.004072047f * s,
      .a = 1.9779985f * l - 2.4285922f * m + 0.4505937f * s,
      .b = 0.025904037f * l + 0.78277177f * m - 0.80867577f * s,
  };
  return color;
}

// Converts `count` RGBA pixels to colors; `linear` holds the linear light of each of 256 bytes.
void ck_oklab(const uint8_t *rgba, size_t count, const float *linear, float *out, uint32_t level);

// Computes the weights of pixels: the cube of 1 / (1 + 5 d), where d is the squared distance from the center, times how
// surely the pixel does not belong to a plain background, 0.03 to 1.
//
//   across, down the squared distance of each of `width` columns and `height` rows
//   ground       the color of the background, or NULL if there is none
//   weights      room for width * height
void ck_color_weights(const float *pixels, size_t width, size_t height, const float *across,
                      const float *down, const float *ground, float *weights, uint32_t level);

enum : uint32_t { CK_COLOR_BINS = 192, CK_STEP_BINS = 64 };

// Distributes each color's weight over the adjacent ones of the CK_COLOR_BINS bins: the bin of
// lightness l, a and b is at 64 l + 8 a + b.
//
// Returns the sum of the weights.
float ck_color_bins(const float *pixels, const float *weights, size_t count, float *bins,
                    uint32_t level);

// Distributes the steps from every other pixel to those `reach` to its right and below it over the
// nearest of CK_STEP_BINS bins, times the pixel's weight: the bin of steps l, a and b is at 16 l +
// 4 a + b.
//
// Returns the sum of the weights, each as often as it was added.
float ck_step_bins(const float *pixels, const float *weights, size_t width, size_t height,
                   size_t reach, float *bins, uint32_t level);

// ---- Keypoints: the planes from which corners and their hashes are computed -----------------------
//
// Planes are row-major without padding. Sizes are at most 2048 x 2048.

// Computes the brightness of `count` RGBA pixels: (77 R + 150 G + 29 B + 128) / 256.
void ck_luma(const uint8_t *rgba, size_t count, uint8_t *out, uint32_t level);

// Averages squares of 2 x 2 pixels to width / 2 by height / 2 pixels; an odd column or row is
// dropped.
void ck_reduce_by_2(const uint8_t *luma, size_t width, size_t height, uint8_t *out, uint32_t level);

// Reduces three columns and rows to two, by area: 2 * (width / 3) by 2 * (height / 3) pixels.
void ck_reduce_by_3_2(const uint8_t *luma, size_t width, size_t height, uint8_t *out,
                      uint32_t level);

enum : uint32_t { CK_BOX_RADIUS = 2 };

// Sums the 5 x 5 pixels around each pixel. The pixels of the edge are repeated beyond it.
//
//   columns      room for width + 4
void ck_box_sums(const uint8_t *luma, size_t width, size_t height, uint16_t *columns, uint16_t *out,
                 uint32_t level);

enum : uint32_t { CK_CORNER_SCRATCH = 15, CK_CORNER_PADDING = 48 };

// Finds corners: pixels at which twice the smaller eigenvalue of the second moments of the gradient
// over 7 x 7 pixels exceeds `threshold` and the values of the eight pixels around it. Of equal
// neighbors, the first one counts. None is found within four pixels of the edge.
//
//   scratch      room for CK_CORNER_SCRATCH * (width + CK_CORNER_PADDING)
//   places, responses   room for `capacity`; places are y * width + x, ascending
//
// Returns the number of corners, at most `capacity`.
size_t ck_corners(const uint8_t *luma, size_t width, size_t height, float threshold,
                  int32_t *scratch, uint32_t *places, float *responses, size_t capacity,
                  uint32_t level);

// Computes the angle of the patch around x and y, in 256 steps of a turn: the direction of most of the gradients of a disk of
// 14 pixels. A pixel beyond the edge is replaced by the nearest one.
//
//   sums         width * height values: the sums of 5 x 5 pixels
uint32_t ck_patch_angle(const uint16_t *sums, int32_t width, int32_t height, int32_t x, int32_t y, uint32_t level);

// A patch is CK_PATCH_SIDE x CK_PATCH_SIDE samples, two pixels apart, around a position between its middle ones.
enum : int32_t { CK_PATCH_SIDE = 18, CK_PATCH_STEP = 2 };

// Takes the samples of the patch around x and y, turned by an angle. A pixel beyond the edge is replaced by the nearest
// pixel of the edge.
//
//   cosine, sine of the angle, times 2^14
//   samples      room for CK_PATCH_SIDE * CK_PATCH_SIDE
void ck_turned_patch(const uint16_t *sums, int32_t width, int32_t height, int32_t x, int32_t y, int32_t cosine,
                     int32_t sine, int16_t *samples, uint32_t level);

// Computes the hash of a patch: the signs of projections of its gradients.
//
//   samples      CK_PATCH_SIDE * CK_PATCH_SIDE sums of 5 x 5 pixels, 0 to 6375
//   words        CK_KEYPOINT_WORDS
//   doubts       room for CK_KNOWN_DOUBTS, or NULL: those of the first CK_WORD_BIT_LIMIT bits whose projection is nearest to
//                zero, the nearest first, ties by bit
void ck_patch_hash(const int16_t *samples, uint32_t *words, uint8_t *doubts, uint32_t level);

// ---- Texture --------------------------------------------------------------------------------------

// Pixels whose neighborhood has less than this contrast are counted in the last class.
enum : uint32_t { CK_TEXTURE_CLASSES = 11, CK_TEXTURE_CONTRAST = 8 };

// Counts the local binary patterns of all pixels except those at the edge: by the number of
// neighbors, of eight, that are at least as bright (0...8), 9 if the pattern changes more than
// twice around the pixel, and 10 if there is no contrast.
//
//   width, height  at least 3
//   classes      room for width
//   counts       room for CK_TEXTURE_CLASSES
void ck_texture_counts(const uint8_t *luma, size_t width, size_t height, uint8_t *classes,
                       uint32_t *counts, uint32_t level);

// ---- Checksums -------------------------------------------------------------------------------------

// Adds bytes to a 64-bit FNV-1a of words of eight bytes; a shorter remainder is padded with zeros.
uint64_t ck_checksum(const uint8_t *bytes, size_t count, uint64_t value);

// Returns the XXH64 of bytes: https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
uint64_t ck_seal(const uint8_t *bytes, size_t count, uint64_t seed);

#endif
