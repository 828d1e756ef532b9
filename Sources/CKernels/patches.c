#include <string.h>

#include "kernel_level.h"
#include "keypoint_projections.h"

// Wide vectors are passed only between functions that are always inlined.
#pragma clang diagnostic ignored "-Wpsabi"

// A fused multiply and add would round once where other processors round twice.
#pragma STDC FP_CONTRACT OFF

enum { SIDE = CK_PATCH_SIDE, INNER = SIDE - 2 };

CK_INLINE int32_t within(int32_t place, int32_t count) {
  const int32_t below = place < count ? place : count - 1;
  return below < 0 ? 0 : below;
}

// ---- Angles -----------------------------------------------------------------------------------

// Gradients are taken from every second pixel of a disk.
enum { REACH = 14, STEP = 2, TAKEN = 149, ROOM = 160, BINS = 32 };
_Static_assert(ROOM % 16 == 0 && ROOM >= TAKEN, "rows of sixteen");

// The half width of the disk in each row, counted in steps, from the middle on: dx * dx + dy * dy <= REACH * REACH.
static const int8_t half_widths[REACH / STEP + 1] = {7, 6, 6, 6, 5, 4, 3, 0};

// 256 times a Gaussian with a standard deviation of six pixels, by the square of the distance in steps.
static const uint16_t gaussian[REACH / STEP * REACH / STEP + 1] = {
    256, 242, 229, 217, 205, 194, 183, 174, 164, 155, 147, 139, 131, 124, 118, 111, 105,
    100, 94,  89,  84,  80,  75,  71,  67,  64,  60,  57,  54,  51,  48,  46,  43,  41,
    39,  37,  35,  33,  31,  29,  28,  26,  25,  23,  22,  21,  20,  19,  18,  17,
};

typedef float Lanes __attribute__((ext_vector_type(16)));
typedef int32_t Wholes __attribute__((ext_vector_type(16)));

// The gradients of the disk around x and y, each with its weight. A pixel beyond the edge is replaced by the nearest one.
CK_INLINE void disk_gradients(const uint16_t *sums, int32_t width, int32_t height, int32_t x, int32_t y,
                              int32_t across[ROOM], int32_t down[ROOM], int32_t weights[ROOM]) {
  enum { HALF = REACH / STEP };
  int32_t columns[2 * HALF + 1], lefts[2 * HALF + 1], rights[2 * HALF + 1];
  for (int32_t u = -HALF; u <= HALF; u++) {
    const int32_t column = within(x + STEP * u, width);
    columns[u + HALF] = column;
    lefts[u + HALF] = within(column - 1, width);
    rights[u + HALF] = within(column + 1, width);
  }
  size_t count = 0;
  for (int32_t v = -HALF; v <= HALF; v++) {
    const int32_t half = half_widths[v < 0 ? -v : v], row = within(y + STEP * v, height);
    const uint16_t *const here = sums + (ptrdiff_t)row * width;
    const uint16_t *const above = sums + (ptrdiff_t)within(row - 1, height) * width;
    const uint16_t *const below = sums + (ptrdiff_t)within(row + 1, height) * width;
    for (int32_t u = -half; u <= half; u++) {
      across[count] = here[rights[u + HALF]] - here[lefts[u + HALF]];
      down[count] = below[columns[u + HALF]] - above[columns[u + HALF]];
      weights[count++] = gaussian[u * u + v * v];
    }
  }
  for (; count < ROOM; count++) across[count] = down[count] = weights[count] = 0;
}

CK_INLINE Lanes lanes_at(const int32_t *values) {
  Wholes lanes;
  memcpy(&lanes, values, sizeof lanes);
  return __builtin_convertvector(lanes, Lanes);
}

// The angle of sixteen vectors in BINS parts of a turn, 0 to BINS, within 0.0002. (Abramowitz and Stegun, 4.4.49, for the
// arc tangent of 0 to 1.)
CK_INLINE Lanes turns(Lanes x, Lanes y) {
  const Lanes ax = __builtin_elementwise_abs(x), ay = __builtin_elementwise_abs(y);
  const Lanes most = __builtin_elementwise_max(ax, ay), least = __builtin_elementwise_min(ax, ay);
  const Lanes ratio = least / __builtin_elementwise_max(most, (Lanes)1.0f);
  const Lanes square = ratio * ratio;
  const Lanes part =
      ratio * (0.9998660f +
               square * (-0.3302995f + square * (0.1801410f + square * (-0.0851330f + square * 0.0208351f)))) *
      (BINS / 6.2831853f);
  const Lanes quadrant = ay > ax ? (Lanes)(BINS / 4) - part : part;
  const Lanes half = x < 0 ? (Lanes)(BINS / 2) - quadrant : quadrant;
  return y < 0 ? (Lanes)BINS - half : half;
}

typedef float Bins __attribute__((ext_vector_type(BINS)));
typedef int32_t Counts __attribute__((ext_vector_type(BINS)));

// Adds to each bin its neighbors around the circle.
CK_INLINE Bins spread(Bins bins) {
  const Bins left = __builtin_shufflevector(bins, bins, 31, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                            19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
  const Bins right = __builtin_shufflevector(bins, bins, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                                             20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 0);
  return left + bins + right;
}

CK_INLINE uint32_t patch_angle(const uint16_t *sums, int32_t width, int32_t height, int32_t x, int32_t y) {
  int32_t across[ROOM], down[ROOM], weights[ROOM];
  disk_gradients(sums, width, height, x, y, across, down, weights);
  int32_t bins[ROOM], sizes[ROOM];
  for (size_t i = 0; i < ROOM; i += 16) {
    const Lanes gx = lanes_at(across + i), gy = lanes_at(down + i);
    const Lanes size = __builtin_elementwise_sqrt(gx * gx + gy * gy) * lanes_at(weights + i);
    const Wholes bin = __builtin_convertvector(turns(gx, gy), Wholes) & (BINS - 1);
    const Wholes whole = __builtin_convertvector(size, Wholes);
    memcpy(bins + i, &bin, sizeof bin);
    memcpy(sizes + i, &whole, sizeof whole);
  }
  int32_t histogram[BINS] = {0};
  for (size_t i = 0; i < ROOM; i++) histogram[bins[i]] += sizes[i];
  Counts counts;
  memcpy(&counts, histogram, sizeof counts);
  Bins smooth = __builtin_convertvector(counts, Bins);
  for (int times = 0; times < 8; times++) smooth = spread(smooth);
  float heights[BINS];
  memcpy(heights, &smooth, sizeof heights);
  const float most = __builtin_reduce_max(smooth);
  int peak = 0;
  while (heights[peak] < most) peak++;
  const float left = heights[(peak + BINS - 1) % BINS], right = heights[(peak + 1) % BINS];
  const float bend = 2 * heights[peak] - left - right;
  // The vertex of the parabola through the peak and its neighbors.
  const float vertex = bend > 0 ? (float)peak + 0.5f + 0.5f * ((right - left) / bend) : (float)peak + 0.5f;
  return (uint32_t)(int32_t)(vertex * (256 / BINS) + 0.5f) & 255;
}

// ---- Samples ----------------------------------------------------------------------------------

CK_INLINE void turned_patch(const uint16_t *restrict sums, int32_t width, int32_t height, int32_t x, int32_t y,
                            int32_t cosine, int32_t sine, int16_t *restrict samples) {
  // Samples are two pixels apart, so in units of 2^-14 pixels the step from one to the next is
  // twice the cosine and twice the sine.
  for (int32_t row = 0; row < SIDE; row++) {
    const int32_t v = 2 * row - (SIDE - 1);
    int32_t places[SIDE];
    for (int32_t column = 0; column < SIDE; column++) {
      const int32_t u = 2 * column - (SIDE - 1);
      const int32_t px = x + ((u * cosine - v * sine + 8192) >> 14);
      const int32_t py = y + ((u * sine + v * cosine + 8192) >> 14);
      places[column] = within(py, height) * width + within(px, width);
    }
    for (int32_t column = 0; column < SIDE; column++) samples[row * SIDE + column] = (int16_t)sums[places[column]];
  }
}

// ---- Hashes -----------------------------------------------------------------------------------

enum { CELLS = 5, DIRECTIONS = 8, INPUTS = CELLS * CELLS * DIRECTIONS + 1, INPUT_PAIRS = (INPUTS + 1) / 2, BITS = 96 };
_Static_assert(sizeof projections == INPUT_PAIRS * BITS * 2, "two weights for each bit and pair of inputs");

// The weights of the samples of a row or column in each of the five overlapping cells: a triangle times a Gaussian.
static const int8_t cell_weights[CELLS][INNER] = {
    {14, 22, 18, 11, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  {0, 0, 7, 16, 26, 24, 15, 5, 0, 0, 0, 0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0, 7, 17, 27, 27, 17, 7, 0, 0, 0, 0, 0},  {0, 0, 0, 0, 0, 0, 0, 0, 5, 15, 24, 26, 16, 7, 0, 0},
    {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 11, 18, 22, 14},
};

// The values of one place in all eight directions.
typedef int16_t Directions __attribute__((ext_vector_type(DIRECTIONS)));
typedef int32_t DirectionSums __attribute__((ext_vector_type(DIRECTIONS)));
typedef float DirectionRoots __attribute__((ext_vector_type(DIRECTIONS)));

// Splits a gradient into eight directions, an eighth of a turn apart. Directions that point away from it get zero.
CK_INLINE Directions one_sided(int16_t gx, int16_t gy) {
  const int16_t sum = (int16_t)(gx + gy), difference = (int16_t)(gy - gx);
  const Directions all = {gx, sum, gy, difference, (int16_t)-gx, (int16_t)-sum, (int16_t)-gy, (int16_t)-difference};
  return __builtin_elementwise_max(all, (Directions){0});
}

// Sets the last input: a sixteenth of the root of the sum of all. A zero follows, because inputs
// are read in pairs.
CK_INLINE void set_last_input(int64_t total, int16_t inputs[2 * INPUT_PAIRS]) {
  inputs[INPUTS - 1] = (int16_t)(__builtin_sqrtf((float)total) / 16);
  inputs[INPUTS] = 0;
}

// The gradients of a patch, summed in cells by direction; the root of each sum, and the last input.
CK_INLINE void patch_inputs(const int16_t samples[SIDE * SIDE], int16_t inputs[2 * INPUT_PAIRS]) {
  DirectionSums cells[CELLS][CELLS] = {0};
  for (int y = 0; y < INNER; y++) {
    DirectionSums row[CELLS] = {0};
    const int16_t *const middle = samples + (y + 1) * SIDE + 1;
    for (int x = 0; x < INNER; x++) {
      const Directions parts =
          one_sided((int16_t)(middle[x + 1] - middle[x - 1]), (int16_t)(middle[x + SIDE] - middle[x - SIDE]));
      const DirectionSums wide = __builtin_convertvector(parts, DirectionSums);
      for (int cell = 0; cell < CELLS; cell++) {
        if (cell_weights[cell][x] != 0) row[cell] += wide * cell_weights[cell][x];
      }
    }
    for (int cell = 0; cell < CELLS; cell++) {
      if (cell_weights[cell][y] == 0) continue;
      for (int column = 0; column < CELLS; column++) cells[cell][column] += row[column] * cell_weights[cell][y];
    }
  }
  int64_t total = 0;
  for (int cell = 0; cell < CELLS * CELLS; cell++) {
    const DirectionSums sums = cells[cell / CELLS][cell % CELLS];
    const DirectionRoots roots = __builtin_elementwise_sqrt(__builtin_convertvector(sums, DirectionRoots));
    const Directions whole = __builtin_convertvector(__builtin_convertvector(roots, DirectionSums), Directions);
    memcpy(inputs + cell * DIRECTIONS, &whole, sizeof whole);
    for (int direction = 0; direction < DIRECTIONS; direction++) total += sums[direction];
  }
  set_last_input(total, inputs);
}

// Multiplies the inputs by the weights of each bit.
CK_INLINE void project(const int16_t inputs[2 * INPUT_PAIRS], int32_t values[BITS]) {
  memset(values, 0, BITS * sizeof *values);
  const int8_t *weights = projections;
  for (int pair = 0; pair < INPUT_PAIRS; pair++, weights += 2 * BITS) {
    const int32_t first = inputs[2 * pair], second = inputs[2 * pair + 1];
    for (int bit = 0; bit < BITS; bit++) values[bit] += first * weights[2 * bit] + second * weights[2 * bit + 1];
  }
}

// Finds the bits whose values are nearest to zero, the nearest first, ties by bit.
CK_INLINE void find_doubts(const int32_t values[BITS], uint8_t *order) {
  int32_t sizes[CK_WORD_BIT_LIMIT], ranks[CK_WORD_BIT_LIMIT] = {0};
  for (int bit = 0; bit < CK_WORD_BIT_LIMIT; bit++) sizes[bit] = values[bit] < 0 ? -values[bit] : values[bit];
  // The rank of a bit is the number of bits that come before it.
  for (int other = 0; other < CK_WORD_BIT_LIMIT; other++) {
    for (int bit = 0; bit < CK_WORD_BIT_LIMIT; bit++) ranks[bit] += sizes[other] < sizes[bit] + (other < bit);
  }
  for (int bit = 0; bit < CK_WORD_BIT_LIMIT; bit++) {
    if (ranks[bit] < CK_KNOWN_DOUBTS) order[ranks[bit]] = (uint8_t)bit;
  }
}

// Sets a bit if its value is positive, and finds the most doubtful bits.
CK_INLINE void signs_and_doubts(const int32_t values[BITS], uint32_t *words, uint8_t *doubts) {
  memset(words, 0, BITS / 8);
  for (int bit = 0; bit < BITS; bit++) words[bit / 32] |= (uint32_t)(values[bit] > 0) << (bit % 32);
  if (doubts != NULL) find_doubts(values, doubts);
}

CK_INLINE void patch_hash(const int16_t *samples, uint32_t *words, uint8_t *doubts) {
  int16_t inputs[2 * INPUT_PAIRS];
  int32_t values[BITS];
  patch_inputs(samples, inputs);
  project(inputs, values);
  signs_and_doubts(values, words, doubts);
}

// ---- Hashes with AVX2 ---------------------------------------------------------------------------

#if defined(__x86_64__)
#include <immintrin.h>

#define UNROLLED _Pragma("clang loop unroll(full)")
#define CK_WIDE CK_TARGET_AVX2 static inline __attribute__((always_inline))

CK_WIDE __m256i sixteen_at(const int16_t *samples) {
  return _mm256_loadu_si256((const __m256i *)(const void *)samples);
}

// Computes, for each pair of neighboring gradients of a row, their parts in all eight directions. The parts of a pair
// are stored together.
CK_WIDE void row_parts(const int16_t *middle, __m256i parts[INNER / 2]) {
  const __m256i gx = _mm256_sub_epi16(sixteen_at(middle + 1), sixteen_at(middle - 1));
  const __m256i gy = _mm256_sub_epi16(sixteen_at(middle + SIDE), sixteen_at(middle - SIDE));
  const __m256i sum = _mm256_add_epi16(gx, gy), difference = _mm256_sub_epi16(gy, gx);
  // Each vector has four directions of two pairs: of one pair, and of the pair four places after
  // it.
  const __m256i low = _mm256_unpacklo_epi32(gx, sum), high = _mm256_unpackhi_epi32(gx, sum);
  const __m256i low_down = _mm256_unpacklo_epi32(gy, difference), high_down = _mm256_unpackhi_epi32(gy, difference);
  const __m256i pairs[4] = {_mm256_unpacklo_epi64(low, low_down), _mm256_unpackhi_epi64(low, low_down),
                            _mm256_unpacklo_epi64(high, high_down), _mm256_unpackhi_epi64(high, high_down)};
  // The other four directions are the opposite ones.
  const __m256i signs = _mm256_set_m128i(_mm_set1_epi16(-1), _mm_set1_epi16(1)), none = _mm256_setzero_si256();
  for (int pair = 0; pair < 4; pair++) {
    const __m256i first = _mm256_permute2x128_si256(pairs[pair], pairs[pair], 0x00);
    const __m256i second = _mm256_permute2x128_si256(pairs[pair], pairs[pair], 0x11);
    parts[pair] = _mm256_max_epi16(_mm256_sign_epi16(first, signs), none);
    parts[pair + 4] = _mm256_max_epi16(_mm256_sign_epi16(second, signs), none);
  }
}

// Computes the same as patch_inputs, with an instruction that multiplies two neighbors and adds the products.
CK_WIDE void patch_inputs_wide(const int16_t samples[SIDE * SIDE], int16_t inputs[2 * INPUT_PAIRS]) {
  __m256i cells[CELLS][CELLS];
  memset(cells, 0, sizeof cells);
  UNROLLED for (int y = 0; y < INNER; y++) {
    __m256i parts[INNER / 2], row[CELLS];
    row_parts(samples + (y + 1) * SIDE + 1, parts);
    UNROLLED for (int cell = 0; cell < CELLS; cell++) {
      row[cell] = _mm256_setzero_si256();
      UNROLLED for (int pair = 0; pair < INNER / 2; pair++) {
        const int32_t first = cell_weights[cell][2 * pair], second = cell_weights[cell][2 * pair + 1];
        if ((first | second) == 0) continue;
        row[cell] = _mm256_add_epi32(row[cell], _mm256_madd_epi16(parts[pair], _mm256_set1_epi32(second << 16 | first)));
      }
    }
    UNROLLED for (int cell = 0; cell < CELLS; cell++) {
      if (cell_weights[cell][y] == 0) continue;
      const __m256i weight = _mm256_set1_epi32(cell_weights[cell][y]);
      UNROLLED for (int column = 0; column < CELLS; column++) {
        cells[cell][column] = _mm256_add_epi32(cells[cell][column], _mm256_mullo_epi32(row[column], weight));
      }
    }
  }
  __m256i sums = _mm256_setzero_si256();
  for (int cell = 0; cell < CELLS * CELLS; cell++) {
    const __m256i cell_sums = cells[cell / CELLS][cell % CELLS];
    const __m256i roots = _mm256_cvttps_epi32(_mm256_sqrt_ps(_mm256_cvtepi32_ps(cell_sums)));
    const __m128i whole = _mm_packs_epi32(_mm256_castsi256_si128(roots), _mm256_extracti128_si256(roots, 1));
    _mm_storeu_si128((__m128i *)(void *)(inputs + cell * DIRECTIONS), whole);
    // The sum is at most 25 * 102 * 102 * 12750, which fits an unsigned integer of 32 bits.
    sums = _mm256_add_epi32(sums, cell_sums);
  }
  uint32_t totals[DIRECTIONS];
  memcpy(totals, &sums, sizeof totals);
  int64_t total = 0;
  for (int direction = 0; direction < DIRECTIONS; direction++) total += totals[direction];
  set_last_input(total, inputs);
}

// Computes the bits in twelve vectors of eight.
enum { BLOCK = 8, BLOCKS = BITS / BLOCK };

CK_WIDE void project_wide(const int16_t inputs[2 * INPUT_PAIRS], int32_t values[BITS]) {
  __m256i sums[BLOCKS];
  memset(sums, 0, sizeof sums);
  const int8_t *weights = projections;
  for (int pair = 0; pair < INPUT_PAIRS; pair++) {
    int32_t both;
    memcpy(&both, inputs + 2 * pair, sizeof both);
    const __m256i factors = _mm256_set1_epi32(both);
    UNROLLED for (int block = 0; block < BLOCKS; block++, weights += 2 * BLOCK) {
      const __m256i wide = _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(const void *)weights));
      sums[block] = _mm256_add_epi32(sums[block], _mm256_madd_epi16(factors, wide));
    }
  }
  memcpy(values, sums, sizeof sums);
}

CK_WIDE void patch_hash_wide(const int16_t *samples, uint32_t *words, uint8_t *doubts) {
  int16_t inputs[2 * INPUT_PAIRS];
  int32_t values[BITS];
  patch_inputs_wide(samples, inputs);
  project_wide(inputs, values);
  signs_and_doubts(values, words, doubts);
}
#endif

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(uint32_t, patch_angle, (sums, width, height, x, y),
          const uint16_t *sums, int32_t width, int32_t height, int32_t x, int32_t y)
CK_KERNEL(void, turned_patch, (sums, width, height, x, y, cosine, sine, samples),
          const uint16_t *sums, int32_t width, int32_t height, int32_t x, int32_t y, int32_t cosine,
          int32_t sine, int16_t *samples)
CK_KERNEL_WITH_AVX2(void, patch_hash, patch_hash_wide, (samples, words, doubts), const int16_t *samples, uint32_t *words, uint8_t *doubts)
