#include "meter.h"

#include <stdatomic.h>
#include <stdbool.h>

#define KINDS 2
#define DEGREES 128

// libFuzzer clears the bytes of this section before each input and takes each one that is set as new code.
__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t reached[KINDS * DEGREES];

static _Atomic uint64_t allocated;

// From <sanitizer/allocator_interface.h>, which some toolchains do not bring.
int __sanitizer_install_malloc_and_free_hooks(
    void (*malloc_hook)(const volatile void *, size_t), void (*free_hook)(const volatile void *));

static void count(const volatile void *start, size_t size) {
  (void)start;
  atomic_fetch_add_explicit(&allocated, size, memory_order_relaxed);
}

static void ignore(const volatile void *start) { (void)start; }

void meter_begin(void) {
  static bool is_installed;
  if (!is_installed) is_installed = __sanitizer_install_malloc_and_free_hooks(count, ignore) != 0;
  atomic_store(&allocated, 0);
}

uint64_t meter_allocated(void) { return atomic_load(&allocated); }

void meter_reach(unsigned kind, unsigned degree) {
  if (kind < KINDS && degree < DEGREES) reached[kind * DEGREES + degree] = 1;
}
