// Eight 256-bit codes side by side, one in each lane of a vector.
#ifndef CODE_BLOCK_H
#define CODE_BLOCK_H

#include <string.h>

#include "kernel_level.h"

// Wide vectors as arguments change the ABI between targets. Here they are passed only between
// functions that are always inlined, so there is no call whose ABI could differ.
#pragma clang diagnostic ignored "-Wpsabi"

// One word of each code of a block. The compiler splits it if registers are narrower.
typedef uint64_t Words __attribute__((vector_size(64)));

typedef struct {
  Words words[4];
} Block;

CK_INLINE Block load_block(const uint64_t *words) {
  Block block;
  memcpy(&block, words, sizeof block);
  return block;
}

// The Hamming distances of a block's codes to one code.
CK_INLINE Words distances(const Block *block, const uint64_t *code) {
  return (__builtin_elementwise_popcount(block->words[0] ^ code[0]) +
          __builtin_elementwise_popcount(block->words[1] ^ code[1])) +
         (__builtin_elementwise_popcount(block->words[2] ^ code[2]) +
          __builtin_elementwise_popcount(block->words[3] ^ code[3]));
}

#endif
