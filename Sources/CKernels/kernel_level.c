#include "CKernels.h"

uint32_t ck_kernel_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vpopcntdq")) {
    return CK_LEVEL_AVX512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
    return CK_LEVEL_AVX2;
  }
  if (__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2")) {
    return CK_LEVEL_POPCNT;
  }
#endif
  return CK_LEVEL_BASE;
}
