// zbar, loaded when first needed. The few declarations that are used here are those of its zbar.h.

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <iconv.h>
#endif

#include "CReading.h"
#include "CWorkers.h"
#include "found_codes.h"

#ifdef __APPLE__
#define ZBAR_LIBRARY "libzbar.0.dylib"
#else
#define ZBAR_LIBRARY "libzbar.so.0"
#endif

enum { ALL_KINDS = 0, ENABLE = 0, COLUMN_STEP = 0x100, GRAY = 'Y' | '8' << 8 | '0' << 16 | '0' << 24 };

#define ZBAR_FUNCTIONS(each)                                               \
  each(void *, zbar_image_scanner_create, (void))                          \
  each(void, zbar_image_scanner_destroy, (void *))                         \
  each(int, zbar_image_scanner_set_config, (void *, int, int, int))        \
  each(int, zbar_scan_image, (void *, void *))                             \
  each(void *, zbar_image_create, (void))                                  \
  each(void, zbar_image_destroy, (void *))                                 \
  each(void, zbar_image_set_format, (void *, unsigned long))               \
  each(void, zbar_image_set_size, (void *, unsigned, unsigned))            \
  each(void, zbar_image_set_data, (void *, const void *, unsigned long, void *)) \
  each(const void *, zbar_image_first_symbol, (const void *))              \
  each(const void *, zbar_symbol_next, (const void *))                     \
  each(int, zbar_symbol_get_type, (const void *))                          \
  each(const char *, zbar_symbol_get_data, (const void *))                 \
  each(unsigned, zbar_symbol_get_data_length, (const void *))              \
  each(int, zbar_symbol_get_quality, (const void *))                       \
  each(unsigned, zbar_symbol_get_loc_size, (const void *))                 \
  each(int, zbar_symbol_get_loc_x, (const void *, unsigned))               \
  each(int, zbar_symbol_get_loc_y, (const void *, unsigned))

#define ZBAR_DECLARE(type, name, parameters) type(*name) parameters;
static struct { ZBAR_FUNCTIONS(ZBAR_DECLARE) } zbar;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *const handle = dlopen(ZBAR_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return;
#define ZBAR_FIND(type, name, parameters)                       \
  zbar.name = (type(*) parameters)dlsym(handle, #name);         \
  if (zbar.name == NULL) return;
  ZBAR_FUNCTIONS(ZBAR_FIND)
  is_loaded = true;
}

bool cr_codes_load(void) {
  if (cw_is_on(CW_IMAGES)) return cw_has(CW_ZBAR);
  pthread_once(&once, load);
  return is_loaded;
}

struct cr_codes {
  void *scanner, *image;
  const void *symbol;
  bool is_started;
  cw_job *job;        // in another process, which has no scanner here
  cr_found found;     // what that process found
  uint32_t next;      // the index of the next one of them
  const cr_found_code *code;
};

void cr_codes_free(cr_codes *codes) {
  if (codes == NULL) return;
  cw_job_close(codes->job);
  cr_found_free(&codes->found);
  if (codes->image != NULL) zbar.zbar_image_destroy(codes->image);
  if (codes->scanner != NULL) zbar.zbar_image_scanner_destroy(codes->scanner);
  free(codes);
}

static bool scan(cr_codes *codes, const uint8_t *gray, uint32_t width, uint32_t height,
                 cr_code_shape shape) {
  static const int bars[] = {CR_EAN8, CR_UPCE, CR_UPCA, CR_EAN13, CR_CODE128};
  codes->scanner = zbar.zbar_image_scanner_create();
  codes->image = zbar.zbar_image_create();
  if (codes->scanner == NULL || codes->image == NULL) return false;
  zbar.zbar_image_scanner_set_config(codes->scanner, ALL_KINDS, ENABLE, 0);
  if (shape == CR_SQUARES) {
    zbar.zbar_image_scanner_set_config(codes->scanner, CR_QR, ENABLE, 1);
  } else {
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
      zbar.zbar_image_scanner_set_config(codes->scanner, bars[i], ENABLE, 1);
    }
    // Columns run along the bars, so none is scanned (ZBAR_CFG_X_DENSITY).
    zbar.zbar_image_scanner_set_config(codes->scanner, ALL_KINDS, COLUMN_STEP, 0);
  }
  zbar.zbar_image_set_format(codes->image, GRAY);
  zbar.zbar_image_set_size(codes->image, width, height);
  zbar.zbar_image_set_data(codes->image, gray, (unsigned long)width * height, NULL);
  return zbar.zbar_scan_image(codes->scanner, codes->image) >= 0;
}

// The most bytes of the codes of one look: far more than fit into the pixels.
enum { FOUND_BYTES = 1 << 20, MEMORY_BYTES = 32 << 20, BYTES_PER_PIXEL = 16 };

static int32_t start_job(cr_codes *codes, const uint8_t *gray, uint32_t width, uint32_t height,
                         cr_code_shape shape) {
  const uint64_t pixels = (uint64_t)width * height;
  const cw_request request = {.library = CW_ZBAR,
                              .numbers = {width, height, (uint32_t)shape},
                              .input_count = pixels,
                              .output_capacity = FOUND_BYTES,
                              .memory_limit = MEMORY_BYTES + BYTES_PER_PIXEL * pixels};
  codes->job = cw_job_open(&request, gray);
  return codes->job == NULL ? CR_NO_MEMORY : CR_MORE;
}

int32_t cr_codes_wait(cr_codes *codes) {
  if (codes->job == NULL) return CR_OK;
  cw_answer answer;
  const int32_t waited = cw_job_wait(codes->job, &answer);
  if (waited == CW_MORE) return CR_MORE;
  if (waited != CW_OK) return CR_REFUSED;
  const bool is_sound =
      answer.is_last != 0 &&
      (answer.status != CR_OK ||
       cr_found_read(&codes->found, cw_job_output(codes->job), answer.output_count));
  if (!is_sound) cw_job_reject(codes->job);
  cw_job_close(codes->job);
  codes->job = NULL;
  return is_sound && answer.status == CR_OK ? CR_OK : CR_REFUSED;
}

static bool next_found(cr_codes *codes) {
  codes->code = codes->next < codes->found.count ? &codes->found.codes[codes->next++] : NULL;
  return codes->code != NULL;
}

// A worker's side: looks as the program itself would.
static void work(cw_turn *turn, const cw_request *request, const uint8_t *input, uint8_t *output) {
  const uint32_t *const numbers = request->numbers;
  cr_codes *codes = NULL;
  cw_answer answer = {.is_last = 1};
  answer.status = cr_codes_find(input, numbers[0], numbers[1], (cr_code_shape)numbers[2], &codes);
  if (answer.status == CR_OK) {
    answer.output_count = cr_found_write(codes, output, request->output_capacity);
  }
  cr_codes_free(codes);
  cw_say(turn, &answer);
}

// Lets the C library load the character sets of QR codes, which are files, before a worker may open none. They stay loaded.
static void load_character_sets(void) {
#ifdef __GLIBC__
  static const char *const names[] = {"UTF-8", "CP437", "SJIS", "BIG-5"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) (void)iconv_open("UTF-8", names[i]);
  for (int part = 1; part <= 16; part++) {
    char name[16];
    (void)snprintf(name, sizeof name, "ISO8859-%i", part);
    (void)iconv_open("UTF-8", name);
  }
#endif
}

static bool load_for_work(cw_library library) {
  (void)library;
  if (!cr_codes_load()) return false;
  load_character_sets();
  return true;
}

void cr_register_work(void) { cw_register(CW_ZBAR, load_for_work, work); }

int32_t cr_codes_find(const uint8_t *gray, uint32_t width, uint32_t height, cr_code_shape shape,
                      cr_codes **codes) {
  *codes = NULL;
  cr_codes *const found = calloc(1, sizeof *found);
  if (found == NULL) return CR_NO_MEMORY;
  if (cw_is_on(CW_IMAGES)) {
    *codes = found;
    return start_job(found, gray, width, height, shape);
  }
  if (!scan(found, gray, width, height, shape)) {
    cr_codes_free(found);
    return CR_REFUSED;
  }
  *codes = found;
  return CR_OK;
}

bool cr_codes_next(cr_codes *codes) {
  if (codes->image == NULL) return next_found(codes);
  codes->symbol = codes->is_started ? zbar.zbar_symbol_next(codes->symbol)
                                    : zbar.zbar_image_first_symbol(codes->image);
  codes->is_started = true;
  return codes->symbol != NULL;
}

cr_code_kind cr_codes_kind(const cr_codes *codes) {
  if (codes->code != NULL) return (cr_code_kind)codes->code->kind;
  return (cr_code_kind)zbar.zbar_symbol_get_type(codes->symbol);
}

const uint8_t *cr_codes_bytes(const cr_codes *codes, size_t *count) {
  if (codes->code != NULL) {
    *count = codes->code->byte_count;
    return codes->code->bytes;
  }
  *count = zbar.zbar_symbol_get_data_length(codes->symbol);
  return (const uint8_t *)zbar.zbar_symbol_get_data(codes->symbol);
}

int32_t cr_codes_quality(const cr_codes *codes) {
  if (codes->code != NULL) return codes->code->quality;
  return zbar.zbar_symbol_get_quality(codes->symbol);
}

uint32_t cr_codes_place_count(const cr_codes *codes) {
  if (codes->code != NULL) return codes->code->place_count;
  return zbar.zbar_symbol_get_loc_size(codes->symbol);
}

void cr_codes_place(const cr_codes *codes, uint32_t index, int32_t *x, int32_t *y) {
  if (codes->code != NULL) {
    *x = codes->code->places[2 * index];
    *y = codes->code->places[2 * index + 1];
    return;
  }
  *x = zbar.zbar_symbol_get_loc_x(codes->symbol, index);
  *y = zbar.zbar_symbol_get_loc_y(codes->symbol, index);
}
