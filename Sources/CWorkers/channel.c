#include "channel.h"

#include <errno.h>
#include <sys/socket.h>

// A message that is longer than expected is cut by the kernel, which MSG_TRUNC reports.
int64_t cw_receive(int socket, void *message, size_t size) {
  ssize_t count = 0;
  do {
    count = recv(socket, message, size, MSG_DONTWAIT | MSG_TRUNC);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : 0;
  return count;
}

bool cw_check(cw_answer_message *message, uint64_t number, const cw_request *request) {
  cw_answer *const answer = &message->answer;
  if (message->magic != CW_MAGIC || message->number != number || answer->is_last > 1 ||
      answer->output_count > request->output_capacity) {
    return false;
  }
  bool has_ended = false;
  for (size_t i = 0; i < CW_MESSAGE_BYTES; i++) {
    char *const letter = &answer->message[i];
    has_ended = has_ended || *letter == '\0' || i == CW_MESSAGE_BYTES - 1;
    if (has_ended) {
      *letter = '\0';
    } else if (*letter < ' ' || *letter > '~') {
      *letter = '?';
    }
  }
  return true;
}
