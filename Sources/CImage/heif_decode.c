// libheif as a pull reader.
//
// The library decodes an image in one call that cannot be stopped, for a second or more. It does so
// on a thread of its own, so that the caller can stop waiting; the thread then frees what it used.

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "heif_library.h"
#include "reader.h"
#include "remote.h"

enum {
  COLORSPACE_RGB = 1,
  CHROMA_INTERLEAVED_RGBA = 11,
  CHANNEL_INTERLEAVED = 10,
  ERROR_UNSUPPORTED_FILE = 3,
  ERROR_UNSUPPORTED_FEATURE = 4,
  ERROR_MEMORY = 6,
  ERROR_DECODER = 7,
  SUBERROR_END_OF_DATA = 100,
  // The number of abandoned decodings, whose clients no longer wait, that may run at once. Above
  // it, no new decoding begins.
  ABANDONED_LIMIT = 4,
};

static atomic_int abandoned_count;

// The state of a decoding. The reader and its thread share it, and whichever needs it last frees it.
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t change;
  bool is_done, is_abandoned;
  uint8_t *bytes;  // a copy, since the thread may outlive the caller's
  void *context, *handle, *image;
  heif_error error;
} decoding;

typedef struct {
  ci_reader base;
  decoding *decoding;
  const uint8_t *plane;
  size_t stride;
  uint32_t row;
  bool is_running;  // whether a thread was started
  bool keeps_damaged;
} heif_reader;

static void free_decoding(decoding *job) {
  if (job->image != NULL) ci_heif.heif_image_release(job->image);
  if (job->handle != NULL) ci_heif.heif_image_handle_release(job->handle);
  if (job->context != NULL) ci_heif.heif_context_free(job->context);
  free(job->bytes);
  pthread_cond_destroy(&job->change);
  pthread_mutex_destroy(&job->lock);
  free(job);
}

static void *decode(void *argument) {
  decoding *job = argument;
  heif_options *const options = ci_heif.heif_decoding_options_alloc();
  if (options != NULL && options->version >= 2) options->convert_hdr_to_8bit = 1;
  const heif_error error = ci_heif.heif_decode_image(job->handle, &job->image, COLORSPACE_RGB,
                                                  CHROMA_INTERLEAVED_RGBA, options);
  if (options != NULL) ci_heif.heif_decoding_options_free(options);
  pthread_mutex_lock(&job->lock);
  job->error = error;
  job->is_done = true;
  const bool is_abandoned = job->is_abandoned;
  pthread_cond_signal(&job->change);
  pthread_mutex_unlock(&job->lock);
  if (is_abandoned) {
    free_decoding(job);
    atomic_fetch_sub(&abandoned_count, 1);
  }
  return NULL;
}

static void close_reader(ci_reader *base) {
  heif_reader *reader = (heif_reader *)base;
  decoding *const job = reader->decoding;
  if (job != NULL) {
    pthread_mutex_lock(&job->lock);
    const bool is_over = !reader->is_running || job->is_done;
    if (!is_over) {
      job->is_abandoned = true;
      atomic_fetch_add(&abandoned_count, 1);
    }
    pthread_mutex_unlock(&job->lock);
    if (is_over) free_decoding(job);
  }
  free(reader);
}

// Sets the message to the informative part of libheif's message, and returns the status.
//
// libheif's messages have the text of the code, that of the subcode, and details, separated by colons,
// and some end with a position in the file or a line end.
static int32_t fail(ci_reader *base, int32_t status, const char *message) {
  if (message == NULL) return ci_fail(base, status, "libheif cannot decode it");
  const char *const code_end = strstr(message, ": ");
  if (code_end != NULL) message = code_end + 2;
  static const char *const empty_words[] = {"Unspecified: ", "Security limit exceeded: "};
  for (size_t i = 0; i < sizeof empty_words / sizeof *empty_words; i++) {
    const size_t length = strlen(empty_words[i]);
    if (strncmp(message, empty_words[i], length) == 0) message += length;
  }
  ci_fail(base, status, message);
  char *end = strstr(base->message, " (points to");
  if (end == NULL) end = base->message + strcspn(base->message, "\r\n");
  while (end > base->message && strchr(" .:\t", end[-1]) != NULL) end--;
  *end = '\0';
  return *base->message != '\0' ? status : ci_fail(base, status, "libheif cannot decode it");
}

static int32_t failure(ci_reader *base, heif_error error) {
  if (error.subcode == SUBERROR_END_OF_DATA) {
    return ci_fail(base, CI_TRUNCATED, "the bytes end before the image does");
  }
  switch (error.code) {
    case 0: return CI_OK;
    case ERROR_UNSUPPORTED_FILE:
    case ERROR_UNSUPPORTED_FEATURE: return fail(base, CI_UNSUPPORTED, error.message);
    case ERROR_MEMORY: return fail(base, CI_TOO_LARGE, error.message);
    case ERROR_DECODER: return ci_fail(base, CI_CORRUPT, "its compressed pixels are invalid");
    default: return fail(base, CI_CORRUPT, error.message);
  }
}

// Starts the thread. It blocks all signals, which are for the threads of the program.
static int32_t start_thread(heif_reader *reader) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int result = pthread_create(&thread, &attributes, decode, reader->decoding);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  reader->is_running = result == 0;
  return reader->is_running ? CI_OK : CI_NO_MEMORY;
}

// Waits for some milliseconds and returns whether the decoding is done.
static bool is_done_soon(decoding *job) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 3000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&job->lock);
  while (!job->is_done && pthread_cond_timedwait(&job->change, &job->lock, &until) != ETIMEDOUT) {
  }
  const bool is_done = job->is_done;
  pthread_mutex_unlock(&job->lock);
  return is_done;
}

// Newer versions only warn of tiles that cannot be decoded, and leave them gray.
static int32_t find_damage(heif_reader *reader) {
  heif_error warning = {0};
  if (ci_heif.heif_image_get_decoding_warnings == NULL ||
      ci_heif.heif_image_get_decoding_warnings(reader->decoding->image, 0, &warning, 1) < 1 ||
      warning.code == 0) {
    return CI_OK;
  }
  // The text of a warning is not used: in 1.15.1, it is freed by the time that the warning is returned.
  warning.message = "a part of it cannot be decoded";
  const int32_t status = failure(&reader->base, warning);
  reader->base.is_damaged = true;
  return reader->keeps_damaged ? CI_OK : status;
}

static int32_t prepare(ci_reader *base) {
  heif_reader *reader = (heif_reader *)base;
  decoding *const job = reader->decoding;
  if (reader->plane != NULL) return CI_OK;
  if (!reader->is_running) {
    const int32_t status = start_thread(reader);
    if (status != CI_OK) return status;
  }
  if (!is_done_soon(job)) return CI_MORE;
  if (job->error.code != 0) return failure(base, job->error);
  const int32_t damage = find_damage(reader);
  if (damage != CI_OK) return damage;
  int stride = 0;
  const uint8_t *const plane =
      ci_heif.heif_image_get_plane_readonly(job->image, CHANNEL_INTERLEAVED, &stride);
  if (plane == NULL || stride < 0 || (uint32_t)stride < 4 * base->width ||
      ci_heif.heif_image_get_width(job->image, CHANNEL_INTERLEAVED) != (int)base->width ||
      ci_heif.heif_image_get_height(job->image, CHANNEL_INTERLEAVED) != (int)base->height) {
    return ci_fail(base, CI_CORRUPT, "its headers contradict each other");
  }
  reader->plane = plane;
  reader->stride = (size_t)stride;
  return CI_OK;
}

static int32_t read_rows(ci_reader *base, uint8_t *rows, uint32_t max_rows, uint32_t *rows_read) {
  heif_reader *reader = (heif_reader *)base;
  while (*rows_read < max_rows && reader->row < base->height) {
    uint8_t *const row = rows + (size_t)*rows_read * 4 * base->width;
    memcpy(row, reader->plane + reader->row * reader->stride, (size_t)4 * base->width);
    ci_flatten(base, row);
    reader->row++;
    ++*rows_read;
  }
  return CI_OK;
}

// Makes the library refuse images that are larger than the caller checked.
//
// Since 1.19, the number of pixels is limited, of which a codec may round each side up. Before, each side
// was, and a grid of tiles had to be smaller than the limit. (1.19.0 took the limit of a side for a
// number of pixels.)
static void set_limits(void *context, uint32_t width, uint32_t height) {
  heif_limits *const limits = ci_heif.heif_context_get_security_limits == NULL
                                  ? NULL
                                  : ci_heif.heif_context_get_security_limits(context);
  if (limits != NULL) {
    limits->max_image_size_pixels = ((uint64_t)width + 64) * ((uint64_t)height + 64);
  } else {
    ci_heif.heif_context_set_maximum_image_size_limit(context,
                                                   (int)(width > height ? width : height) + 1);
  }
}

static int32_t start(heif_reader *reader, const uint8_t *bytes, size_t count, uint32_t width,
                     uint32_t height, uint32_t coded_width, uint32_t coded_height) {
  ci_reader *const base = &reader->base;
  if (atomic_load(&abandoned_count) >= ABANDONED_LIMIT) {
    return ci_fail(base, CI_TOO_LARGE, "too many images are being decoded at the moment");
  }
  decoding *const job = calloc(1, sizeof *job);
  if (job == NULL) return CI_NO_MEMORY;
  pthread_mutex_init(&job->lock, NULL);
  pthread_cond_init(&job->change, NULL);
  reader->decoding = job;
  job->bytes = malloc(count);
  job->context = ci_heif.heif_context_alloc();
  if (job->bytes == NULL || job->context == NULL) return CI_NO_MEMORY;
  memcpy(job->bytes, bytes, count);
  set_limits(job->context, coded_width, coded_height);
  if (ci_heif.heif_context_set_max_decoding_threads != NULL) {
    ci_heif.heif_context_set_max_decoding_threads(job->context, 0);
  }
  const heif_error error = ci_heif.heif_context_read_from_memory_without_copy(
      job->context, job->bytes, count, NULL);
  if (error.code != 0) return failure(base, error);
  const heif_error missing =
      ci_heif.heif_context_get_primary_image_handle(job->context, &job->handle);
  if (missing.code != 0) return failure(base, missing);
  const int columns = ci_heif.heif_image_handle_get_width(job->handle);
  const int rows = ci_heif.heif_image_handle_get_height(job->handle);
  // A file may crop the image.
  if (columns < 1 || rows < 1 || (uint32_t)columns > width || (uint32_t)rows > height) {
    return ci_fail(base, CI_CORRUPT, "its headers contradict each other");
  }
  base->width = (uint32_t)columns;
  base->height = (uint32_t)rows;
  return CI_OK;
}

ci_reader *ci_heif_open(const uint8_t *bytes, size_t count, uint32_t width, uint32_t height,
                        uint32_t coded_width, uint32_t coded_height, ci_limits limits,
                        int32_t *status) {
  if (cw_is_on(CW_IMAGES)) {
    return ci_remote_open(bytes, count,
                          (ci_description){.library = CW_HEIC,
                                           .width = width,
                                           .height = height,
                                           .denominator = 1,
                                           .coded_width = coded_width,
                                           .coded_height = coded_height},
                          limits, status);
  }
  heif_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) {
    *status = CI_NO_MEMORY;
    return NULL;
  }
  reader->base.prepare = prepare;
  reader->base.read_rows = read_rows;
  reader->base.close = close_reader;
  reader->base.white = limits.white;
  reader->keeps_damaged = limits.keeps_damaged;
  *status = start(reader, bytes, count, width, height, coded_width, coded_height);
  return &reader->base;
}
