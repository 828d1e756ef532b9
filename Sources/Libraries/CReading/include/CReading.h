// Models in the format ONNX, run by ONNX Runtime, and codes read by zbar.
//
// Both libraries are loaded when first needed, from declarations of their few functions here, so that
// neither building nor running requires them. No function calls back. Messages are texts of at most
// `capacity` bytes, with a terminating zero.
#ifndef CREADING_H
#define CREADING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum : int32_t {
  CR_OK = 0,
  CR_MORE = 1,       // not done yet: call again
  CR_MISSING = 2,    // the library was not found
  CR_REFUSED = 3,    // the library refuses what it got; the message says why
  CR_STOPPED = 4,    // the run was stopped
  CR_NO_MEMORY = 5,
};

// The most sides of a tensor.
enum { CR_RANK_LIMIT = 8 };

// Loads ONNX Runtime unless that was done before.
//
//   path  the file of the library, or NULL for that of the system. Only the path of the first call that finds a
//         library matters, since a process has one runtime
int32_t cr_runtime_load(const char *path, char *message, size_t capacity);

typedef struct cr_model cr_model;

// Opens a model. It can be run by several threads at once, each run on one thread. The bytes are not needed afterwards.
// cr_runtime_load must have returned CR_OK.
int32_t cr_model_open(const uint8_t *bytes, size_t count, cr_model **model, char *message,
                      size_t capacity);
void cr_model_close(cr_model *model);

// The number of inputs or outputs.
size_t cr_model_count(const cr_model *model, bool is_output);

// Returns the rank of the first input or the chosen output, and its shape, in which an unknown side is -1 or 0; -1 if
// it is not a tensor of 16-bit or 32-bit floating-point numbers of at most CR_RANK_LIMIT sides.
int32_t cr_model_shape(const cr_model *model, bool is_output, int64_t *shape);

// The most inputs of a model that takes whole numbers.
enum { CR_INPUT_LIMIT = 2 };

// Returns the rank and the shape of an input as cr_model_shape does, if it is a tensor of whole numbers of 32 or 64 bits and one of the
// first CR_INPUT_LIMIT; otherwise -1.
int32_t cr_model_token_shape(const cr_model *model, size_t index, int64_t *shape);

// Copies the name of an input or output, at most `capacity` bytes, and returns its length, or -1 if there is none.
int64_t cr_model_name(const cr_model *model, bool is_output, size_t index, char *text,
                      size_t capacity);

// Chooses the output that runs compute, at first the first one; returns false if there is none. No run may be in progress.
bool cr_model_choose_output(cr_model *model, size_t index);

// Returns the index of the output that runs compute.
size_t cr_model_output_index(const cr_model *model);

// Copies the text of the model's metadata under a key, at most `capacity` bytes, and returns its length, or
// -1 if there is none.
int64_t cr_model_metadata(const cr_model *model, const char *key, char *text, size_t capacity);

// Lets worker processes run a model from now on (CWorkers.h), and frees it here: it has no names and shapes any more. No run may be in progress.
//
//   index  its place among the models that the workers have opened
void cr_model_detach(cr_model *model, uint32_t index);

// Writes what tells a file from another one that takes its place. Returns false if there is none.
bool cr_file_identity(const char *path, char *text, size_t capacity);

// Lets this process run models as a worker, once it is one.
//
//   words  the file of the library, or "-" for that of the system, and for each model its file, what cr_file_identity wrote about
//          it, and the index of its output. They must stay valid
void cr_register_model_work(const char *const *words, size_t count);

typedef struct cr_run cr_run;

// Starts a run with one input on a thread of its own, which computes the chosen output. `values` must stay valid until
// cr_run_free. A model of 16-bit numbers gets the nearest ones.
int32_t cr_run_start(cr_model *model, const float *values, size_t count, const int64_t *shape,
                     size_t rank, cr_run **run, char *message, size_t capacity);

// Starts a run as cr_run_start does, with `count` whole numbers of the shape 1 x count for each input, one input after the other. They are
// copied. The model has at most CR_INPUT_LIMIT inputs, all of which cr_model_token_shape accepts.
int32_t cr_run_start_tokens(cr_model *model, const int64_t *values, size_t count, cr_run **run,
                            char *message, size_t capacity);

// Waits for a few milliseconds. Returns CR_MORE if the run has not ended, otherwise its status.
int32_t cr_run_wait(cr_run *run, char *message, size_t capacity);

// Lets the run end at the next step of the model.
void cr_run_stop(cr_run *run);

// Returns the values of the output after CR_OK, in 32 bits, with their number, shape and rank; NULL if they are not floating-point
// numbers or have more than CR_RANK_LIMIT sides. They are valid until cr_run_free.
const float *cr_run_output(cr_run *run, size_t *count, int64_t *shape, int32_t *rank);

// Frees a run. One that is not over is stopped, and waited for.
void cr_run_free(cr_run *run);

// Gives up waiting for a run that does not end after cr_run_stop, since one operation cannot be ended. The run frees itself and
// `values`, the values of its input from malloc, when it ends. The model must not be closed any more.
void cr_run_abandon(cr_run *run, float *values);

// The number of abandoned runs that have not ended.
int32_t cr_model_abandoned(cr_model *model);

// The kinds of codes, with zbar's numbers.
typedef enum : int32_t {
  CR_EAN8 = 8,
  CR_UPCE = 9,
  CR_UPCA = 12,
  CR_EAN13 = 13,
  CR_QR = 64,
  CR_CODE128 = 128,
} cr_code_kind;

typedef struct cr_codes cr_codes;

// Loads zbar unless that was done before, and returns whether it can be used. If the program has worker processes (CWorkers.h), these
// load it and look for codes.
bool cr_codes_load(void);

// The shape of the codes to find: bars, which the rows of pixels must cross, or the squares of QR codes.
typedef enum : int32_t { CR_BARS, CR_SQUARES } cr_code_shape;

// Looks for codes of one shape in rows of gray pixels without gaps. cr_codes_load must have returned true. Returns CR_MORE if another
// process looks: then cr_codes_wait is to be called, and the pixels must stay valid.
int32_t cr_codes_find(const uint8_t *gray, uint32_t width, uint32_t height, cr_code_shape shape,
                      cr_codes **codes);

// Waits for some milliseconds, and returns CR_MORE if the codes are not found yet.
int32_t cr_codes_wait(cr_codes *codes);

// Lets this process look for codes as a worker, once it is one.
void cr_register_work(void);

// Moves to the next code, or to the first one in the first call. Returns false if there is none.
bool cr_codes_next(cr_codes *codes);

// Return the kind, the bytes and the positions of the current code. A QR code has four positions, its corners in order;
// other codes have any number.
cr_code_kind cr_codes_kind(const cr_codes *codes);
const uint8_t *cr_codes_bytes(const cr_codes *codes, size_t *count);
// For a bar code, the number of rows of pixels in which it was read.
int32_t cr_codes_quality(const cr_codes *codes);
uint32_t cr_codes_place_count(const cr_codes *codes);
void cr_codes_place(const cr_codes *codes, uint32_t index, int32_t *x, int32_t *y);

// Frees the list. A look that is not over is given up.
void cr_codes_free(cr_codes *codes);

// Places where codes may be. Images are rows of gray pixels without gaps.

// Computes the lightness of pixels of four bytes: red, green, blue and one that is ignored.
void cr_gray(const uint8_t *rgba, size_t count, uint8_t *gray);

// Sums over twice the steps between pixels, across and down.
typedef struct {
  int32_t xx, yy, xy;      // of the products
  int32_t sum_x, sum_y;    // of the steps
  int32_t size_x, size_y;  // of their sizes
} cr_edge_sums;

// Sums up the steps at the corners of a block of at most 16 × 16 pixels: reads one column and one row more.
void cr_edges(const uint8_t *gray, size_t stride, size_t columns, size_t rows, cr_edge_sums *sums);

// Makes an image of half the width and height, each rounded down, of which each pixel is the mean of four.
void cr_half(const uint8_t *gray, size_t width, size_t height, uint8_t *half);

// Tells for each pixel whether it is more than 8 darker than a mean: 1 or 0.
void cr_dark(const uint8_t *gray, size_t count, int32_t mean, uint8_t *is_dark);

// Dark and light in the ratio 1 : 1 : 3 : 1 : 1.
typedef struct {
  float center, length;  // in pixels of the line
} cr_finder_run;

// Finds finder patterns along a line of `count` bytes that are 1 or 0, `step` apart; returns their number, at most
// `limit`. A line has at most one for every two bytes.
size_t cr_finder_runs(const uint8_t *line, size_t step, size_t count, cr_finder_run *runs,
                      size_t limit);

// Counts the edges of a line: its falls and rises by at least `step`, but for a rise at its start.
size_t cr_edge_count(const uint8_t *line, size_t count, int32_t step);

typedef struct {
  const uint8_t *gray;
  size_t width, height;  // at least 1
} cr_gray_image;

// The place of the upper left corner of a part, and what one pixel of the part adds across and down.
typedef struct {
  float x, y, across_x, across_y, down_x, down_y;
} cr_part_frame;

// Computes a part of an image in another size, of `width × height` bytes, by mixing four pixels for each.
void cr_part(const cr_gray_image *image, const cr_part_frame *frame, uint32_t width,
             uint32_t height, uint8_t *part);

#endif
