#include <string.h>

#include "kernel_level.h"

// A fused multiply and add would round once where other processors round twice.
#pragma STDC FP_CONTRACT OFF

enum { HEAD = CK_EMBEDDING_HEAD_BYTES, COMPONENTS = CK_EMBEDDING_BYTES - HEAD };

// Products of bytes and their sum are exact: 512 * 127 * 127 < 2^31.
CK_INLINE int32_t dot(const int8_t *restrict row, const int8_t *restrict query, size_t count) {
  int32_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += (int32_t)row[i] * (int32_t)query[i];
  return sum;
}

CK_INLINE float inverse_length(const uint8_t *embedding) {
  float length;
  memcpy(&length, embedding + 8, sizeof length);
  return length;
}

CK_INLINE size_t cosine_scan(const uint8_t *rows, size_t row_count, size_t row_bytes,
                             const uint8_t *query, size_t query_bytes, uint32_t limit,
                             uint32_t *hit_indices, uint32_t *hit_distances) {
  const size_t count = query_bytes - HEAD;
  const float own = inverse_length(query);
  size_t hits = 0;
  for (size_t r = 0; r < row_count; r++) {
    const uint8_t *row = rows + r * row_bytes;
    // Skips rows with another model or another number of components.
    if (memcmp(row, query, 8) != 0 || memcmp(row + 12, query + 12, 2) != 0) continue;
    const int32_t product =
        count == COMPONENTS ? dot((const int8_t *)row + HEAD, (const int8_t *)query + HEAD, COMPONENTS)
                            : dot((const int8_t *)row + HEAD, (const int8_t *)query + HEAD, count);
    const float cosine = (float)product * inverse_length(row) * own;
    // A damaged length may be infinite or not a number, and then counts as the largest
    // distance.
    const float bounded = cosine > -1.0f ? (cosine < 1.0f ? cosine : 1.0f) : -1.0f;
    const uint32_t distance = (uint32_t)((1.0f - bounded) * 1048576.0f);
    if (distance <= limit) {
      hit_indices[hits] = (uint32_t)r;
      hit_distances[hits] = distance;
      hits++;
    }
  }
  return hits;
}

CK_KERNEL(size_t, cosine_scan,
          (rows, row_count, row_bytes, query, query_bytes, limit, hit_indices, hit_distances),
          const uint8_t *rows, size_t row_count, size_t row_bytes, const uint8_t *query,
          size_t query_bytes, uint32_t limit, uint32_t *hit_indices, uint32_t *hit_distances)
