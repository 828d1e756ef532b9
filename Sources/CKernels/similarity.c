#include <stdbool.h>
#include <string.h>

#include "kernel_level.h"

// Wide vectors are passed only between functions that are always inlined.
#pragma clang diagnostic ignored "-Wpsabi"
// A fused multiply and add would round once where other processors round twice.
#pragma STDC FP_CONTRACT OFF

enum { LANES = 8, TURN_LIMIT = 24 };
// The square of the smallest distance from a first to a second pair. Nearer pairs do not determine
// a rotation.
static const double least_distance = 16 * 16;
// A second pair supports the first one if its scale and position are within these limits of what
// the first one predicts.
static const double scale_low = 0.55, scale_high = 1.8, miss_base = 64, miss_share = 0.12;
// The range of a plausible determinant: a scale factor between 1/12 and 12.
static const double determinant_limit = 144;

typedef double Doubles __attribute__((vector_size(64)));
typedef int64_t Longs __attribute__((vector_size(64)));
// One bit for each of eight pairs.
typedef bool Bits __attribute__((ext_vector_type(LANES)));

CK_INLINE Doubles load(const double *values) {
  Doubles loaded;
  memcpy(&loaded, values, sizeof loaded);
  return loaded;
}

CK_INLINE double score(const ck_pairs *pairs, ck_similarity s) {
  Doubles sum = {0};
  for (size_t i = 0; i < pairs->count; i += LANES) {
    const Doubles x = load(pairs->from_x + i), y = load(pairs->from_y + i);
    const Doubles dx = s.cosine * x - s.sine * y + s.x - load(pairs->to_x + i);
    const Doubles dy = s.sine * x + s.cosine * y + s.y - load(pairs->to_y + i);
    const Doubles part = 1 - (dx * dx + dy * dy) / load(pairs->limit + i);
    sum += (Doubles)((Longs)part & (Longs)(part > 0));
  }
  // Adds in a fixed order, so that every instruction set gives the same bits.
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

// The similarity that maps two points onto two others.
CK_INLINE ck_similarity through(const ck_pairs *pairs, size_t i, size_t j) {
  const double px = pairs->from_x[j] - pairs->from_x[i], py = pairs->from_y[j] - pairs->from_y[i];
  const double qx = pairs->to_x[j] - pairs->to_x[i], qy = pairs->to_y[j] - pairs->to_y[i];
  const double norm = px * px + py * py;
  ck_similarity s = {.cosine = (px * qx + py * qy) / norm, .sine = (px * qy - py * qx) / norm};
  s.x = pairs->to_x[i] - s.cosine * pairs->from_x[i] + s.sine * pairs->from_y[i];
  s.y = pairs->to_y[i] - s.sine * pairs->from_x[i] - s.cosine * pairs->from_y[i];
  return s;
}

// The rotations of eight patches relative to another one.
CK_INLINE Longs turns_beyond(const uint8_t *turns, uint8_t turn) {
  Longs beyond;
  for (int lane = 0; lane < LANES; lane++) beyond[lane] = (int8_t)(uint8_t)(turns[lane] - turn);
  return beyond;
}

// Compares the pairs j ..< j + LANES with where pair i predicts them. A lane is -1 if its pair
// agrees and is not too near to pair i, otherwise 0.
CK_INLINE Longs agreeing(const ck_pairs *pairs, size_t i, size_t j, double cosine, double sine) {
  const Longs turn = turns_beyond(pairs->turn + j, pairs->turn[i]);
  const Doubles scale = load(pairs->scale + j);
  const Doubles x = load(pairs->from_x + j) - pairs->from_x[i], y = load(pairs->from_y + j) - pairs->from_y[i];
  const Doubles expected_x = cosine * x - sine * y, expected_y = sine * x + cosine * y;
  const Doubles length = expected_x * expected_x + expected_y * expected_y;
  const Doubles miss_x = load(pairs->to_x + j) - pairs->to_x[i] - expected_x;
  const Doubles miss_y = load(pairs->to_y + j) - pairs->to_y[i] - expected_y;
  return (turn <= TURN_LIMIT) & (turn >= -TURN_LIMIT) & (scale > scale_low * pairs->scale[i]) &
         (scale < scale_high * pairs->scale[i]) & (length > least_distance) &
         (miss_x * miss_x + miss_y * miss_y < miss_base + miss_share * length);
}

CK_INLINE double best_similarity(const ck_pairs *pairs, const double *cosines, const double *sines,
                                 size_t proposers, size_t partners, ck_similarity *best) {
  double most = 0;
  for (size_t i = 0; i < proposers; i++) {
    size_t tried = 0;
    for (size_t j = 0; j < pairs->count && tried < partners; j += LANES) {
      const Longs agrees = agreeing(pairs, i, j, cosines[i], sines[i]);
      if (__builtin_reduce_or(agrees) == 0) continue;
      for (size_t lane = 0; lane < LANES && tried < partners; lane++) {
        if (!agrees[lane] || j + lane >= pairs->count) continue;
        const ck_similarity proposed = through(pairs, i, j + lane);
        const double determinant = proposed.cosine * proposed.cosine + proposed.sine * proposed.sine;
        if (!(determinant > 1 / determinant_limit && determinant < determinant_limit)) continue;
        tried++;
        const double sum = score(pairs, proposed);
        if (sum <= most) continue;
        most = sum;
        *best = proposed;
      }
    }
    // More than half of the pairs agree, so no other similarity can have more.
    if (most > 0.5 * (double)pairs->count) break;
  }
  return most;
}

CK_INLINE void agreeing_pairs(const ck_pairs *pairs, const ck_plane_map *map, double factor, uint8_t *agreeing) {
  const double *m = map->matrix;
  for (size_t i = 0; i < pairs->count; i += LANES) {
    const Doubles x = load(pairs->from_x + i), y = load(pairs->from_y + i);
    const Doubles ratio = load(pairs->scale + i) / map->scale;
    const Longs turn = turns_beyond(pairs->turn + i, map->turn);
    const Doubles depth = m[6] * x + m[7] * y + m[8];
    const Doubles miss_x = (m[0] * x + m[1] * y + m[2]) / depth - load(pairs->to_x + i);
    const Doubles miss_y = (m[3] * x + m[4] * y + m[5]) / depth - load(pairs->to_y + i);
    const Doubles limit = factor * load(pairs->tolerance + i);
    const Bits agrees = __builtin_convertvector(
        (ratio > scale_low) & (ratio < scale_high) & (turn <= TURN_LIMIT) & (turn >= -TURN_LIMIT) &
            (miss_x * miss_x + miss_y * miss_y <= limit * limit),
        Bits);
    memcpy(agreeing + i / LANES, &agrees, 1);
  }
}

// ---- One copy per instruction set ---------------------------------------------------------------

CK_KERNEL(double, best_similarity, (pairs, cosines, sines, proposers, partners, best),
          const ck_pairs *pairs, const double *cosines, const double *sines, size_t proposers,
          size_t partners, ck_similarity *best)
CK_KERNEL(void, agreeing_pairs, (pairs, map, factor, agreeing),
          const ck_pairs *pairs, const ck_plane_map *map, double factor, uint8_t *agreeing)
