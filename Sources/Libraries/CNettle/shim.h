// SHA-256 and HMAC-SHA-256 of whole messages with nettle, whose names are macros that Swift cannot
// import.
#ifndef CNETTLE_SHIM_H
#define CNETTLE_SHIM_H

#include <stddef.h>
#include <stdint.h>

#include <nettle/hmac.h>
#include <nettle/sha2.h>

// Computes the SHA-256 hash of a message; writes 32 bytes.
static inline void cn_sha256(const uint8_t *message, size_t count, uint8_t *digest) {
  struct sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, count, message);
  sha256_digest(&context, SHA256_DIGEST_SIZE, digest);
}

// Computes the HMAC-SHA-256 of a message; writes 32 bytes.
static inline void cn_hmac_sha256(const uint8_t *key, size_t key_count, const uint8_t *message,
                                  size_t count, uint8_t *code) {
  struct hmac_sha256_ctx context;
  hmac_sha256_set_key(&context, key_count, key);
  hmac_sha256_update(&context, count, message);
  hmac_sha256_digest(&context, SHA256_DIGEST_SIZE, code);
}

#endif
