#include <string.h>

#include "kernel_level.h"

// A fused multiply and add would round once where other processors round twice.
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wpsabi"

// The number of pixels that are computed side by side before the results are stored one by one.
enum { CHUNK = 64 };

// Loops over the first `count` places of a chunk, rounded up to whole blocks of 16, so that no place is computed on its
// own.
#define EACH_BLOCK(i, count)                                                                       \
  for (size_t block = 0; block < count; block += 16)                                               \
    for (size_t i = block; i < block + 16; i++)

CK_INLINE float least(float a, float b) { return b < a ? b : a; }

// ---- Pixels side by side ------------------------------------------------------------------------

typedef float Four __attribute__((vector_size(16)));

// The colors of some pixels, with an array for each component.
typedef struct {
  float l[CHUNK], a[CHUNK], b[CHUNK];
} Colors;

CK_INLINE Four color_at(const float *pixel) {
  Four color;
  memcpy(&color, pixel, sizeof color);
  return color;
}

// Copies `count` colors, at most CHUNK, from a pixel on, `stride` pixels apart. The others keep their values.
CK_INLINE void split(const float *pixels, size_t start, size_t stride, size_t count, Colors *colors) {
  size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const float *pixel = pixels + 4 * (start + stride * i);
    const Four first = color_at(pixel), second = color_at(pixel + 4 * stride);
    const Four third = color_at(pixel + 8 * stride), fourth = color_at(pixel + 12 * stride);
    const Four upper = __builtin_shufflevector(first, second, 0, 4, 1, 5);
    const Four lower = __builtin_shufflevector(third, fourth, 0, 4, 1, 5);
    const Four l = __builtin_shufflevector(upper, lower, 0, 1, 4, 5);
    const Four a = __builtin_shufflevector(upper, lower, 2, 3, 6, 7);
    const Four b = {first[2], second[2], third[2], fourth[2]};
    // A memcpy with a checked length would become a call for each color.
    for (size_t lane = 0; lane < 4; lane++) {
      colors->l[i + lane] = l[lane];
      colors->a[i + lane] = a[lane];
      colors->b[i + lane] = b[lane];
    }
  }
  for (; i < count; i++) {
    const float *pixel = pixels + 4 * (start + stride * i);
    colors->l[i] = pixel[0];
    colors->a[i] = pixel[1];
    colors->b[i] = pixel[2];
  }
}

// ---- Oklab ------------------------------------------------------------------------------------

CK_INLINE float cube_root(float number) {
  const float x = number < 1e-20f ? 1e-20f : number;
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = bits / 3 + 709921077;
  float root;
  memcpy(&root, &bits, sizeof root);
  const float cube = root * root * root;
  return root * (cube + x + x) / (cube + cube + x);
}

CK_INLINE void oklab(const uint8_t *restrict rgba, size_t count, const float *restrict linear,
                     float *restrict out) {
  for (size_t start = 0; start < count; start += CHUNK) {
    const size_t length = count - start < CHUNK ? count - start : CHUNK;
    float red[CHUNK], green[CHUNK], blue[CHUNK];
    for (size_t i = 0; i < length; i++) {
      const uint8_t *pixel = rgba + 4 * (start + i);
      red[i] = linear[pixel[0]];
      green[i] = linear[pixel[1]];
      blue[i] = linear[pixel[2]];
    }
    for (size_t i = 0; i < length; i++) {
      const float r = red[i], g = green[i], b = blue[i];
      const float l = cube_root(0.41222147f * r + 0.53633255f * g + 0.051445995f * b);
      const float m = cube_root(0.2119035f * r + 0.6806995f * g + 0.10739696f * b);
      const float s = cube_root(0.08830246f * r + 0.28171885f * g + 0.6299787f * b);
      const ck_oklab_color color = ck_oklab_of_cones(l, m, s);
      float *pixel = out + 4 * (start + i);
      pixel[0] = color.lightness;
      pixel[1] = color.a;
      pixel[2] = color.b;
      pixel[3] = 0;
    }
  }
}

// ---- Weights ----------------------------------------------------------------------------------

CK_INLINE void color_weights(const float *restrict pixels, size_t width, size_t height,
                             const float *restrict across, const float *restrict down,
                             const float *restrict ground, float *restrict weights) {
  Colors colors = {0};
  float shares[CHUNK];
  for (size_t i = 0; i < CHUNK; i++) shares[i] = 1;
  for (size_t y = 0; y < height; y++, pixels += 4 * width, weights += width) {
    for (size_t start = 0; start < width; start += CHUNK) {
      const size_t length = width - start < CHUNK ? width - start : CHUNK;
      if (ground != NULL) {
        split(pixels, start, 1, length, &colors);
        EACH_BLOCK(i, length) {
          const float l = colors.l[i] - ground[0], a = colors.a[i] - ground[1], b = colors.b[i] - ground[2];
          const float distance = __builtin_elementwise_sqrt(l * l + a * a + b * b);
          const float near = least(1, (distance - 0.03f) / 0.05f);
          shares[i] = near > 0.03f ? near : 0.03f;
        }
      }
      for (size_t i = 0; i < length; i++) {
        const float falloff = 1 + 5 * (down[y] + across[start + i]);
        weights[start + i] = shares[i] / (falloff * falloff * falloff);
      }
    }
  }
}

// ---- Distribution over the bins around a value ------------------------------------------------

// The eight bins among which the weight of a pixel is divided, as four pairs of neighboring bins.
// The bins of a pair get its factor times `low` and times `high`.
typedef struct {
  uint32_t first[CHUNK];
  float factors[4][CHUNK];
  float low[CHUNK], high[CHUNK];
} Shares;

typedef float Pair __attribute__((vector_size(8)));

CK_INLINE void put_down(const Shares *shares, size_t i, const uint32_t offsets[4], float *bins) {
  const Pair ends = {shares->low[i], shares->high[i]};
  for (int pair = 0; pair < 4; pair++) {
    float *const place = bins + shares->first[i] + offsets[pair];
    Pair sum;
    memcpy(&sum, place, sizeof sum);
    sum += shares->factors[pair][i] * ends;
    memcpy(place, &sum, sizeof sum);
  }
}

// Divides a weight among eight bins: the positions along two axes give the factors of the four
// pairs, that along the third axis `low` and `high`.
CK_INLINE void divide(Shares *shares, size_t i, float weight, float first, float second, float third) {
  const float small = weight * (1 - first), large = weight * first;
  shares->factors[0][i] = small * (1 - second);
  shares->factors[1][i] = small * second;
  shares->factors[2][i] = large * (1 - second);
  shares->factors[3][i] = large * second;
  shares->low[i] = 1 - third;
  shares->high[i] = third;
}

// Returns the lower of the two bins around a value.
CK_INLINE int32_t lower_bin(float place, int32_t count) {
  const int32_t bin = (int32_t)place;
  return bin < count - 2 ? bin : count - 2;
}

// ---- Colors -----------------------------------------------------------------------------------

CK_INLINE float clamped(float place, float most) {
  const float below = least(most, place);
  return below > 0 ? below : 0;
}

// Returns the root of the chroma: bins are finer near gray.
CK_INLINE float companded(float chroma) {
  const float size = chroma < 0 ? -chroma : chroma;
  const float root = __builtin_elementwise_sqrt(least(1, size / 0.25f));
  return ((chroma < 0 ? -root : root) + 1) / 2 * 7;
}

CK_INLINE float color_bins(const float *restrict pixels, const float *restrict weights, size_t count,
                           float *restrict bins) {
  static const uint32_t offsets[4] = {0, 8, 64, 72};
  Shares shares;
  Colors colors = {0};
  float chunk_weights[CHUNK] = {0};
  float total = 0;
  for (size_t start = 0; start < count; start += CHUNK) {
    const size_t length = count - start < CHUNK ? count - start : CHUNK;
    split(pixels, start, 1, length, &colors);
    memcpy(chunk_weights, weights + start, length * sizeof *weights);
    EACH_BLOCK(i, length) {
      const float l = clamped(colors.l[i] * 3 - 0.5f, 2);
      const float a = clamped(companded(colors.a[i]), 7), b = clamped(companded(colors.b[i]), 7);
      const int32_t lower_l = lower_bin(l, 3), lower_a = lower_bin(a, 8), lower_b = lower_bin(b, 8);
      shares.first[i] = (uint32_t)(64 * lower_l + 8 * lower_a + lower_b);
      divide(&shares, i, chunk_weights[i], l - (float)lower_l, a - (float)lower_a, b - (float)lower_b);
    }
    for (size_t i = 0; i < length; i++) {
      put_down(&shares, i, offsets, bins);
      total += weights[start + i];
    }
  }
  return total;
}

// ---- Steps ------------------------------------------------------------------------------------

enum { GRADES = 4 };

CK_INLINE float grade(float step, float scale) {
  const float size = step < 0 ? -step : step;
  return least(GRADES - 1, scale * __builtin_elementwise_sqrt(size));
}

// Computes the differences between the colors of pixels and of those some way from them, and
// distributes them over the bins.
CK_INLINE void steps(const Colors *here, const Colors *there, const float *weights, size_t count,
                     Shares *restrict shares) {
  EACH_BLOCK(i, count) {
    const float l = grade(there->l[i] - here->l[i], 4.8f), a = grade(there->a[i] - here->a[i], 8),
                b = grade(there->b[i] - here->b[i], 8);
    const int32_t lower_l = lower_bin(l, GRADES), lower_a = lower_bin(a, GRADES),
                  lower_b = lower_bin(b, GRADES);
    shares->first[i] = (uint32_t)(16 * lower_l + 4 * lower_a + lower_b);
    divide(shares, i, weights[i], l - (float)lower_l, a - (float)lower_a, b - (float)lower_b);
  }
}

CK_INLINE float step_bins(const float *pixels, const float *weights, size_t width, size_t height,
                          size_t reach, float *bins) {
  static const uint32_t offsets[4] = {0, 4, 16, 20};
  Shares right, below;
  Colors here = {0}, there = {0};
  float chunk_weights[CHUNK] = {0};
  float total = 0;
  for (size_t y = 0; y < height; y++) {
    for (size_t start = y & 1; start < width; start += 2 * CHUNK) {
      const size_t left = (width - start + 1) / 2, length = left < CHUNK ? left : CHUNK;
      const size_t place = y * width + start;
      // The number of the row's pixels that have a right neighbor at that distance.
      const size_t inner = start + reach < width ? (width - reach - start + 1) / 2 : 0;
      const size_t right_length = inner < length ? inner : length;
      const size_t below_length = y + reach < height ? length : 0;
      split(pixels, place, 2, length, &here);
      for (size_t i = 0; i < length; i++) chunk_weights[i] = weights[place + 2 * i];
      split(pixels, place + reach, 2, right_length, &there);
      steps(&here, &there, chunk_weights, right_length, &right);
      split(pixels, place + reach * width, 2, below_length, &there);
      steps(&here, &there, chunk_weights, below_length, &below);
      for (size_t i = 0; i < length; i++) {
        if (i < right_length) {
          put_down(&right, i, offsets, bins);
          total += chunk_weights[i];
        }
        if (i < below_length) {
          put_down(&below, i, offsets, bins);
          total += chunk_weights[i];
        }
      }
    }
  }
  return total;
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, oklab, (rgba, count, linear, out),
          const uint8_t *rgba, size_t count, const float *linear, float *out)
CK_KERNEL(void, color_weights, (pixels, width, height, across, down, ground, weights),
          const float *pixels, size_t width, size_t height, const float *across, const float *down,
          const float *ground, float *weights)
CK_KERNEL(float, color_bins, (pixels, weights, count, bins),
          const float *pixels, const float *weights, size_t count, float *bins)
CK_KERNEL(float, step_bins, (pixels, weights, width, height, reach, bins),
          const float *pixels, const float *weights, size_t width, size_t height, size_t reach,
          float *bins)
