#include <string.h>

#include "kernel_level.h"

#pragma clang diagnostic ignored "-Wpsabi"

CK_INLINE void area_add_row(const uint8_t *restrict row, size_t count, uint32_t share,
                            uint32_t *restrict sums) {
  for (size_t i = 0; i < count; i++) sums[i] += row[i] * share;
}

// The four sums of a pixel or of a column of the result, as whole numbers in double precision: they are below 2^52, so
// that every step is exact.
typedef int32_t Pixel __attribute__((vector_size(16)));
typedef double Sums __attribute__((vector_size(32)));
typedef uint8_t Bytes __attribute__((vector_size(4)));

// Returns the sums of a pixel, and sets them to zero.
CK_INLINE Sums take(uint32_t *sums) {
  Pixel pixel;
  memcpy(&pixel, sums, sizeof pixel);
  memset(sums, 0, sizeof pixel);
  return __builtin_convertvector(pixel, Sums);
}

CK_INLINE void area_finish_row(uint32_t *sums, const ck_area_cut *cuts, size_t width, uint64_t area,
                               uint8_t *out) {
  // A product by the reciprocal is less than 2^-44 from the quotient. A sum and a half is at least half of an
  // `area`th, which is more, from any whole quotient, so that both have the same whole part.
  const double reciprocal = 1 / (double)area, half = (double)(area / 2) + 0.5;
  Sums rest = {0};
  for (size_t x = 0; x < width; x++) {
    Sums whole = {0};
    for (uint32_t i = 0; i < cuts[x].whole; i++, sums += 4) whole += take(sums);
    const Sums last = take(sums);
    sums += 4;
    const Sums sum = whole * (double)width + rest + last * (double)cuts[x].share + half;
    rest = last * (double)(width - cuts[x].share);
    const Bytes bytes = __builtin_convertvector(__builtin_convertvector(sum * reciprocal, Pixel), Bytes);
    memcpy(out + 4 * x, &bytes, sizeof bytes);
  }
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, area_add_row, (row, count, share, sums),
          const uint8_t *row, size_t count, uint32_t share, uint32_t *sums)
CK_KERNEL(void, area_finish_row, (sums, cuts, width, area, out),
          uint32_t *sums, const ck_area_cut *cuts, size_t width, uint64_t area, uint8_t *out)
