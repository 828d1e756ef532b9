#include <string.h>

#include "kernel_level.h"

#pragma clang diagnostic ignored "-Wpsabi"

CK_INLINE void area_start_row(const uint8_t *restrict row, size_t count, uint32_t share,
                              uint32_t *restrict sums) {
  for (size_t i = 0; i < count; i++) sums[i] = row[i] * share;
}

CK_INLINE void area_add_row(const uint8_t *restrict row, size_t count, uint32_t share,
                            uint32_t *restrict sums) {
  for (size_t i = 0; i < count; i++) sums[i] += row[i] * share;
}

// The four sums of a pixel or of a column of the result. Below 2^31, they have the same bits signed and unsigned. In
// double precision they are whole numbers below 2^52, so every step is exact.
typedef uint32_t Pixel __attribute__((vector_size(16)));
typedef int32_t SignedPixel __attribute__((vector_size(16)));
typedef double Sums __attribute__((vector_size(32)));
typedef uint8_t Bytes __attribute__((vector_size(4)));

CK_INLINE Pixel pixel_at(const uint32_t *sums) {
  Pixel pixel;
  memcpy(&pixel, sums, sizeof pixel);
  return pixel;
}

CK_INLINE Sums exact(Pixel pixel) { return __builtin_convertvector((SignedPixel)pixel, Sums); }

// Stores the whole parts of the quotients by the area.
CK_INLINE void put_quotients(Sums sums, double half, double reciprocal, uint8_t *out) {
  const SignedPixel whole = __builtin_convertvector((sums + half) * reciprocal, SignedPixel);
  const Bytes bytes = __builtin_convertvector(whole, Bytes);
  memcpy(out, &bytes, sizeof bytes);
}

CK_INLINE void finish_large(const uint32_t *sums, const ck_area_cut *cuts, size_t width, double half,
                            double reciprocal, uint8_t *out) {
  Sums rest = {0};
  for (size_t x = 0; x < width; x++) {
    Sums whole = {0};
    for (uint32_t i = 0; i < cuts[x].whole; i++, sums += 4) whole += exact(pixel_at(sums));
    const Sums last = exact(pixel_at(sums));
    sums += 4;
    put_quotients(whole * (double)width + rest + last * (double)cuts[x].share, half, reciprocal, out + 4 * x);
    rest = last * (double)(width - cuts[x].share);
  }
}

// The sum of a column is a difference: the sum of all pixels up to its end minus that up to its start. Both may
// overflow, but their difference is below 2^31 and therefore right.
CK_INLINE void finish_small(const uint32_t *sums, const ck_area_cut *cuts, size_t width, double half,
                            double reciprocal, uint8_t *out) {
  Pixel whole = {0}, start = {0};
  for (size_t x = 0; x < width; x++) {
    for (uint32_t i = 0; i < cuts[x].whole; i++, sums += 4) whole += pixel_at(sums);
    const Pixel last = pixel_at(sums);
    sums += 4;
    const Pixel end = whole * (uint32_t)width + last * cuts[x].share;
    whole += last;
    put_quotients(exact(end - start), half, reciprocal, out + 4 * x);
    start = end;
  }
}

CK_INLINE void area_finish_row(const uint32_t *sums, const ck_area_cut *cuts, size_t width, uint64_t area,
                               uint8_t *out) {
  // Rounds sum / area by a multiplication with the reciprocal. The product differs from the quotient by less than
  // 2^-44. Because of the added half, the quotient is at least 1 / (2 * area) away from any whole number, which is
  // more, so both have the same whole part.
  const double reciprocal = 1 / (double)area, half = (double)(area / 2) + 0.5;
  if (area <= INT32_MAX / UINT8_MAX) {
    finish_small(sums, cuts, width, half, reciprocal, out);
  } else {
    finish_large(sums, cuts, width, half, reciprocal, out);
  }
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(void, area_start_row, (row, count, share, sums),
          const uint8_t *row, size_t count, uint32_t share, uint32_t *sums)
CK_KERNEL(void, area_add_row, (row, count, share, sums),
          const uint8_t *row, size_t count, uint32_t share, uint32_t *sums)
CK_KERNEL(void, area_finish_row, (sums, cuts, width, area, out),
          const uint32_t *sums, const ck_area_cut *cuts, size_t width, uint64_t area, uint8_t *out)
