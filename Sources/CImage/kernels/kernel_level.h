// The target attribute of each level, so that one body is compiled for every instruction set.
#ifndef KERNEL_LEVEL_H
#define KERNEL_LEVEL_H

#define CI_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define CI_TARGET_POPCNT __attribute__((target("popcnt,ssse3,sse4.1,sse4.2")))
#define CI_TARGET_AVX2 __attribute__((target("popcnt,avx2,bmi,bmi2,lzcnt")))
#define CI_TARGET_AVX512                                                                           \
  __attribute__((target("popcnt,avx2,bmi,bmi2,lzcnt,avx512f,avx512bw,avx512vl,avx512dq,"           \
                        "avx512vpopcntdq"),                                                        \
                 min_vector_width(512)))

// Makes a function of each level by `bodies`, and calls that of a level.
#define CI_EVERY_LEVEL(bodies)                                                                     \
  bodies(, base) bodies(CI_TARGET_POPCNT, popcnt) bodies(CI_TARGET_AVX2, avx2)                     \
      bodies(CI_TARGET_AVX512, avx512)
#define CI_DISPATCH(function, ...)                                                                 \
  switch (level) {                                                                                 \
  case CI_LEVEL_AVX512: return function##_avx512(__VA_ARGS__);                                     \
  case CI_LEVEL_AVX2: return function##_avx2(__VA_ARGS__);                                         \
  case CI_LEVEL_POPCNT: return function##_popcnt(__VA_ARGS__);                                     \
  default: return function##_base(__VA_ARGS__);                                                    \
  }
#else
#define CI_EVERY_LEVEL(bodies) bodies(, base)
#define CI_DISPATCH(function, ...)                                                                 \
  (void)level;                                                                                     \
  return function##_base(__VA_ARGS__);
#endif

#endif
