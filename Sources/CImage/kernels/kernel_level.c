#include "CImage.h"

#include <stdatomic.h>

static uint32_t detect(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vpopcntdq")) {
    return CI_LEVEL_AVX512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
    return CI_LEVEL_AVX2;
  }
  if (__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2")) {
    return CI_LEVEL_POPCNT;
  }
#endif
  return CI_LEVEL_BASE;
}

uint32_t ci_kernel_level(void) {
  // Two threads that meet here both find and write the same value.
  static _Atomic uint32_t known = UINT32_MAX;
  uint32_t level = atomic_load_explicit(&known, memory_order_relaxed);
  if (level == UINT32_MAX) {
    level = detect();
    atomic_store_explicit(&known, level, memory_order_relaxed);
  }
  return level;
}
