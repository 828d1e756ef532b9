#include <stdbool.h>
#include <string.h>

#include "kernel_level.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_FEATURE_DOTPROD)
#include <arm_neon.h>
#endif

// A fused multiply and add would round once where other processors round twice.
#pragma STDC FP_CONTRACT OFF

enum { HEAD = CK_EMBEDDING_HEAD_BYTES, COMPONENTS = CK_EMBEDDING_BYTES - HEAD };

// Products of bytes and their sum are exact: 512 * 127 * 127 < 2^31.
CK_INLINE int32_t dot(const int8_t *restrict row, const int8_t *restrict query, size_t count) {
  int32_t sum = 0;
  size_t i = 0;
#if defined(__ARM_FEATURE_DOTPROD)
  int32x4_t sums = vdupq_n_s32(0);
  for (; i + 16 <= count; i += 16) sums = vdotq_s32(sums, vld1q_s8(row + i), vld1q_s8(query + i));
  sum = vaddvq_s32(sums);
#endif
  for (; i < count; i++) sum += (int32_t)row[i] * (int32_t)query[i];
  return sum;
}

CK_INLINE float inverse_length(const uint8_t *embedding) {
  float length;
  memcpy(&length, embedding + 8, sizeof length);
  return length;
}

// Returns the distance of a cosine. A damaged length may make it infinite or not a number, and then counts as the largest
// distance.
CK_INLINE uint32_t distance(float cosine) {
  const float bounded = cosine > -1.0f ? (cosine < 1.0f ? cosine : 1.0f) : -1.0f;
  return (uint32_t)((1.0f - bounded) * 1048576.0f);
}

// Returns whether a row has the model and the number of components of the query.
CK_INLINE bool is_comparable(const uint8_t *row, const uint8_t *query) {
  return memcmp(row, query, 8) == 0 && memcmp(row + 12, query + 12, 2) == 0;
}

CK_INLINE size_t cosine_scan(const uint8_t *rows, size_t row_count, size_t row_bytes,
                             const uint8_t *query, size_t query_bytes, uint32_t limit,
                             uint32_t *hit_indices, uint32_t *hit_distances) {
  const size_t count = query_bytes - HEAD;
  const float own = inverse_length(query);
  size_t hits = 0;
  for (size_t r = 0; r < row_count; r++) {
    const uint8_t *row = rows + r * row_bytes;
    if (!is_comparable(row, query)) continue;
    const int32_t product =
        count == COMPONENTS ? dot((const int8_t *)row + HEAD, (const int8_t *)query + HEAD, COMPONENTS)
                            : dot((const int8_t *)row + HEAD, (const int8_t *)query + HEAD, count);
    const uint32_t found = distance((float)product * inverse_length(row) * own);
    if (found <= limit) {
      hit_indices[hits] = (uint32_t)r;
      hit_distances[hits] = found;
      hits++;
    }
  }
  return hits;
}

#if defined(__x86_64__)

enum { LANES = 64, BLOCKS = COMPONENTS / LANES };

// The same with instructions that multiply and add four bytes at a time. They take unsigned bytes on one side: those of a row are raised by 128,
// and 128 times the sum of the query's is subtracted.
__attribute__((target("popcnt,avx2,bmi,bmi2,lzcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512vnni"),
               min_vector_width(512))) static size_t
cosine_scan_vnni(const uint8_t *rows, size_t row_count, size_t row_bytes, const uint8_t *query,
                 size_t query_bytes, uint32_t limit, uint32_t *hit_indices,
                 uint32_t *hit_distances) {
  const size_t count = query_bytes - HEAD;
  const float own = inverse_length(query);
  const __m512i raised = _mm512_set1_epi8((char)0x80);
  __m512i parts[BLOCKS];
  const size_t blocks = count / LANES;
  const __mmask64 rest = ((__mmask64)1 << count % LANES) - 1;
  for (size_t b = 0; b < blocks; b++) parts[b] = _mm512_loadu_si512(query + HEAD + LANES * b);
  const __m512i last = _mm512_maskz_loadu_epi8(rest, query + HEAD + LANES * blocks);
  int32_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += (int8_t)query[HEAD + i];
  size_t hits = 0;
  for (size_t r = 0; r < row_count; r++) {
    const uint8_t *row = rows + r * row_bytes;
    if (!is_comparable(row, query)) continue;
    const uint8_t *const components = row + HEAD;
    __m512i even = _mm512_setzero_si512(), odd = even;
    if (count == COMPONENTS) {
#pragma clang loop unroll(full)
      for (size_t b = 0; b < BLOCKS; b += 2) {
        const __m512i first = _mm512_loadu_si512(components + LANES * b);
        const __m512i second = _mm512_loadu_si512(components + LANES * (b + 1));
        even = _mm512_dpbusd_epi32(even, _mm512_xor_si512(first, raised), parts[b]);
        odd = _mm512_dpbusd_epi32(odd, _mm512_xor_si512(second, raised), parts[b + 1]);
      }
    } else {
      for (size_t b = 0; b < blocks; b++) {
        const __m512i block = _mm512_loadu_si512(components + LANES * b);
        even = _mm512_dpbusd_epi32(even, _mm512_xor_si512(block, raised), parts[b]);
      }
      // Components beyond those of the query count as zero.
      const __m512i block = _mm512_maskz_loadu_epi8(rest, components + LANES * blocks);
      odd = _mm512_dpbusd_epi32(odd, _mm512_xor_si512(block, raised), last);
    }
    const int32_t product = _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd)) - 128 * sum;
    const uint32_t found = distance((float)product * inverse_length(row) * own);
    if (found <= limit) {
      hit_indices[hits] = (uint32_t)r;
      hit_distances[hits] = found;
      hits++;
    }
  }
  return hits;
}

CK_INLINE size_t cosine_scan_avx512_best(const uint8_t *rows, size_t row_count, size_t row_bytes,
                                         const uint8_t *query, size_t query_bytes, uint32_t limit,
                                         uint32_t *hit_indices, uint32_t *hit_distances) {
  return __builtin_cpu_supports("avx512vnni")
             ? cosine_scan_vnni(rows, row_count, row_bytes, query, query_bytes, limit, hit_indices,
                                hit_distances)
             : cosine_scan(rows, row_count, row_bytes, query, query_bytes, limit, hit_indices,
                           hit_distances);
}

#endif

CK_KERNEL_OF_LOOPS(size_t, cosine_scan, cosine_scan, cosine_scan, cosine_scan_avx512_best,
                   (rows, row_count, row_bytes, query, query_bytes, limit, hit_indices,
                    hit_distances),
                   const uint8_t *rows, size_t row_count, size_t row_bytes, const uint8_t *query,
                   size_t query_bytes, uint32_t limit, uint32_t *hit_indices,
                   uint32_t *hit_distances)
