// Worker processes that run the libraries which parse the bytes of strangers.
//
// A program that serves starts some workers, which are the same program: each loads the libraries, gives up all rights that it
// does not need, and then does one job after another. A job is a few numbers and some bytes, and its outcome the same. If a library
// crashes, does not end, takes too much memory or answers nonsense, only that job fails, and another worker takes the place.
//
// Bytes and pixels pass through memory that both processes map, everything else through a socket in messages of fixed size. The
// program trusts nothing that a worker says: sizes are compared with what was asked for, and texts are cleaned.
//
// Only on Linux; elsewhere no worker starts, and the libraries run in the program itself.
#ifndef CWORKERS_H
#define CWORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum : int32_t {
  CW_OK = 0,
  CW_MORE = 1,    // no answer yet: call again
  CW_FAILED = 2,  // the worker ended or answered nonsense; the message says which
  CW_TOO_LARGE = 3,  // the job needs more memory than there is, or there was no worker for it for ten seconds
};

// The libraries, each of which some job is about.
typedef enum : uint32_t {
  CW_WEBP = 0,
  CW_HEIC = 1,
  CW_AVIF = 2,
  CW_GIF = 3,
  CW_ZBAR = 4,
  CW_ONNX = 5,
} cw_library;
enum { CW_LIBRARY_COUNT = 6, CW_NUMBER_COUNT = 12, CW_MESSAGE_BYTES = 200 };

// The kinds of workers: those for images and codes, which load the first five libraries, and those that hold opened models.
typedef enum : uint32_t { CW_IMAGES = 0, CW_MODELS = 1 } cw_kind;
enum { CW_KIND_COUNT = 2 };

// The request of a job. Its bytes are in the shared memory.
typedef struct {
  uint32_t library;
  uint32_t numbers[CW_NUMBER_COUNT];  // what they mean is up to the library
  uint64_t input_count;
  uint64_t output_capacity;  // the most bytes of the outcome
  uint64_t memory_limit;     // the most bytes that the library may allocate
} cw_request;

// The answer to a job. Some jobs have two answers.
typedef struct {
  int32_t status;  // what it means is up to the library
  uint32_t is_last;
  uint32_t numbers[4];
  uint64_t output_count;
  char message[CW_MESSAGE_BYTES];
} cw_answer;

// The function that does a job: it reads the bytes, writes the outcome, and answers by calls of cw_say. The last one has `is_last`.
typedef struct cw_turn cw_turn;
typedef void (*cw_work)(cw_turn *turn, const cw_request *request, const uint8_t *input,
                        uint8_t *output);
// Loads a library and returns whether it can be used.
typedef bool (*cw_load)(cw_library library);

// Sets what a worker does for a library. Called before cw_worker_run.
void cw_register(cw_library library, cw_load load, cw_work work);
void cw_say(cw_turn *turn, const cw_answer *answer);

// Returns whether the program has given up a job, which should then end soon, with a last answer.
bool cw_is_cancelled(cw_turn *turn);

// Runs a worker until the program that started it ends. Returns at once, with false, if no program did.
bool cw_worker_run(void);

// The settings with which a program starts its workers.
typedef struct {
  cw_kind kind;
  const char *path;        // of this program, or NULL for the running one
  const char *const *arguments;  // for the workers, as many as argument_count
  uint32_t argument_count;
  uint32_t count;          // at most CW_WORKER_LIMIT
  uint64_t memory_bytes;   // that two processes share: of the largest input and the largest outcome
  uint64_t data_bytes;     // the most that a worker may allocate
} cw_options;
enum { CW_WORKER_LIMIT = 256 };

// Starts the workers and waits for the first. Returns false with a message if that cannot be done: then libraries
// run in the program itself.
bool cw_start(const cw_options *options, char *message, size_t capacity);

// Ends all workers of a kind and waits for it. No job may be open.
void cw_stop(cw_kind kind);

// Returns whether workers run the libraries of a kind.
bool cw_is_on(cw_kind kind);

// Returns whether workers could load a library.
bool cw_has(cw_library library);

// Returns whether the kernel restricts what workers may ask of it, and how much memory they take.
bool cw_is_filtered(cw_kind kind);

// The reasons why a worker was replaced.
typedef enum : uint32_t {
  CW_CRASHED = 0,   // it ended
  CW_STOPPED = 1,   // its job was given up: it took longer than its client waits
  CW_NONSENSE = 2,  // it answered what makes no sense
} cw_end;
enum { CW_END_COUNT = 3 };

// Returns how many workers were replaced, and how many there are.
uint64_t cw_restarts(cw_library library, cw_end end);
uint32_t cw_worker_count(cw_kind kind);

// A job of one thread.
typedef struct cw_job cw_job;

// Opens a job, and begins it if a worker is idle. The bytes must stay valid until it is closed. Returns NULL without memory.
cw_job *cw_job_open(const cw_request *request, const uint8_t *input);

// Waits for some milliseconds for the next answer: CW_OK if there is one, and CW_MORE if not. Its message is a text of ASCII with
// a terminating zero. After CW_FAILED and CW_TOO_LARGE, only the message has a meaning.
int32_t cw_job_wait(cw_job *job, cw_answer *answer);

// Returns the outcome: as many bytes as the last answer says, which are no more than were asked for. The worker may change them
// while they are read.
const uint8_t *cw_job_output(const cw_job *job);

// Says that an answer makes no sense, so that the worker is replaced.
void cw_job_reject(cw_job *job);

// Ends a job. Its worker is killed and replaced if it has not finished. NULL is allowed.
void cw_job_close(cw_job *job);

#endif
