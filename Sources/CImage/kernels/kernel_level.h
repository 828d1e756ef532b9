// The target attribute of each level, so that one body is compiled for every instruction set.
#ifndef KERNEL_LEVEL_H
#define KERNEL_LEVEL_H

#define CI_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#define CI_TARGET_POPCNT __attribute__((target("popcnt,ssse3,sse4.1,sse4.2")))
#define CI_TARGET_AVX2 __attribute__((target("popcnt,avx2,bmi,bmi2,lzcnt")))
#define CI_TARGET_AVX512                                                                           \
  __attribute__((target("popcnt,avx2,bmi,bmi2,lzcnt,avx512f,avx512bw,avx512vl,avx512dq,"           \
                        "avx512vpopcntdq,prefer-256-bit"),                                         \
                 min_vector_width(512)))
#endif

#endif
