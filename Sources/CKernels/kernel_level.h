// One copy of a kernel for every instruction set, and the choice between the copies.
#ifndef KERNEL_LEVEL_H
#define KERNEL_LEVEL_H

#include "CKernels.h"

// The loop of a kernel is written once, as a function that is inlined into each of the copies.
#define CK_INLINE static inline __attribute__((always_inline))

// Defines ck_NAME, which takes the parameters `...` and a level and calls the copy of that level.
// Every copy returns NAME applied to `arguments`.
#define CK_KERNEL(type, name, arguments, ...)                                                      \
  CK_KERNEL_OF_LOOPS(type, name, name, name, name, arguments, __VA_ARGS__)

// Defines ck_NAME like CK_KERNEL, with a loop of its own for processors with AVX2.
#define CK_KERNEL_WITH_AVX2(type, name, avx2_name, arguments, ...)                                 \
  CK_KERNEL_OF_LOOPS(type, name, name, avx2_name, avx2_name, arguments, __VA_ARGS__)

// Defines ck_NAME like CK_KERNEL, with loops of their own for processors with POPCNT but without
// AVX2, for those with AVX2 but without AVX-512, and for those with AVX-512.
#if defined(__x86_64__)
#define CK_KERNEL_OF_LOOPS(type, name, popcnt_name, avx2_name, avx512_name, arguments, ...)        \
  static type name##_base(__VA_ARGS__) { return name arguments; }                                  \
  CK_TARGET_POPCNT static type name##_popcnt(__VA_ARGS__) { return popcnt_name arguments; }        \
  CK_TARGET_AVX2 static type name##_avx2(__VA_ARGS__) { return avx2_name arguments; }              \
  CK_TARGET_AVX512 static type name##_avx512(__VA_ARGS__) { return avx512_name arguments; }        \
  type ck_##name(__VA_ARGS__, uint32_t level) {                                                    \
    switch (level) {                                                                               \
    case CK_LEVEL_AVX512: return name##_avx512 arguments;                                          \
    case CK_LEVEL_AVX2: return name##_avx2 arguments;                                              \
    case CK_LEVEL_POPCNT: return name##_popcnt arguments;                                          \
    default: return name##_base arguments;                                                         \
    }                                                                                              \
  }

#define CK_TARGET_POPCNT __attribute__((target("popcnt,ssse3,sse4.1,sse4.2")))
#define CK_TARGET_AVX2 __attribute__((target("popcnt,avx2,bmi,bmi2,lzcnt")))
#define CK_TARGET_AVX512                                                                           \
  __attribute__((target("popcnt,avx2,bmi,bmi2,lzcnt,avx512f,avx512bw,avx512vl,avx512dq,"           \
                        "avx512vpopcntdq"),                                                        \
                 min_vector_width(512)))
#else
#define CK_KERNEL_OF_LOOPS(type, name, popcnt_name, avx2_name, avx512_name, arguments, ...)        \
  type ck_##name(__VA_ARGS__, uint32_t level) {                                                    \
    (void)level;                                                                                   \
    return name arguments;                                                                         \
  }
#endif

#endif
