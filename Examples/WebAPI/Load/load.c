// Asks a server on the loopback address over connections that it keeps, each as soon as its last
// request was answered, and prints a line of figures for each interval (Scripts/test-load).
//
// Usage: load PORT SECONDS INTERVAL READERS KINDS WRITERS
//   KINDS    what readers ask for: k (one trip by its key), p (a page of 20), or both, as kkkp
//   WRITERS  how many connections insert a trip and delete it afterwards
//
// The keys that readers ask for come from standard input, one a line.
// One connection more asks for /healthz a hundred times a second.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum kind { KEY, PAGE, INSERT, DELETE, HEALTH, KINDS };
static const char *const kind_names[KINDS] = {"key", "page", "insert", "delete", "health"};

// Latencies in classes of equal ratio: class n begins at 1.05 to the power of n microseconds.
enum { CLASSES = 400 };

struct figures {
  long count;
  double longest;
  long classes[CLASSES];
};

struct connection {
  int socket;
  enum kind kind;
  int is_writer, is_health, is_waiting;
  long key; // of the trip that a writer inserted last, 0 if there is none
  double began;
  size_t length;
  char bytes[1 << 18];
};

static struct figures figures[KINDS];
static long failures;
static double bounds[CLASSES];
static const char *readers_kinds;
static long *keys;
static size_t key_count;
static uint64_t random_state = 88172645463325252u;
static long inserted;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void stop(const char *reason) {
  fprintf(stderr, "load: %s: %s\n", reason, strerror(errno));
  exit(1);
}

static uint64_t random_number(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static void note(enum kind kind, double seconds) {
  struct figures *one = &figures[kind];
  int class = 0;
  one->count += 1;
  if (seconds > one->longest) one->longest = seconds;
  while (class < CLASSES - 1 && bounds[class] < seconds * 1e6) class += 1;
  one->classes[class] += 1;
}

static double percentile(const struct figures *one, double share) {
  long left = (long)((double)one->count * share);
  for (int class = 0; class < CLASSES; class += 1) {
    left -= one->classes[class];
    if (left < 0) return bounds[class] * 1e-6;
  }
  return one->longest;
}

static void print(double seconds) {
  printf("{\"seconds\": %.3f, \"failures\": %ld", seconds, failures);
  for (int kind = 0; kind < KINDS; kind += 1) {
    const struct figures *one = &figures[kind];
    printf(", \"%s\": {\"count\": %ld, \"p50\": %.6f, \"p99\": %.6f, \"max\": %.6f}",
           kind_names[kind], one->count, percentile(one, 0.5), percentile(one, 0.99), one->longest);
  }
  printf("}\n");
  fflush(stdout);
  memset(figures, 0, sizeof figures);
  failures = 0;
}

static void open_connection(struct connection *one, int port, int poll) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  int on = 1;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  one->socket = socket(AF_INET, SOCK_STREAM, 0);
  if (one->socket < 0) stop("socket");
  if (connect(one->socket, (struct sockaddr *)&address, sizeof address)) stop("connect");
  setsockopt(one->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(one->socket, F_SETFL, O_NONBLOCK);
  if (epoll_ctl(poll, EPOLL_CTL_ADD, one->socket, &event)) stop("epoll_ctl");
}

static void choose(struct connection *one) {
  if (one->is_health) {
    one->kind = HEALTH;
  } else if (one->is_writer) {
    one->kind = one->key ? DELETE : INSERT;
  } else {
    one->kind = readers_kinds[random_number() % strlen(readers_kinds)] == 'p' ? PAGE : KEY;
  }
}

static void ask(struct connection *one) {
  char text[1024], body[512] = "";
  const char *method = "GET";
  char path[64];
  int length;
  choose(one);
  switch (one->kind) {
  case KEY:
    snprintf(path, sizeof path, "/trips/%ld", keys[random_number() % key_count]);
    break;
  case PAGE:
    snprintf(path, sizeof path, "/trips?limit=20&offset=%ld", (long)(random_number() % key_count));
    break;
  case INSERT:
    method = "POST";
    strcpy(path, "/trips");
    inserted += 1;
    snprintf(body, sizeof body,
             "{\"name\": \"Load %ld\", \"destination\": \"Oslo\", \"startDate\": "
             "\"2030-12-23T00:00:00Z\", \"endDate\": \"2030-12-28T00:00:00Z\", \"bucketList\": "
             "[{\"title\": \"Ski jump\", \"details\": \"\", \"hasReservation\": false, "
             "\"isInPlan\": true}]}",
             inserted);
    break;
  case DELETE:
    method = "DELETE";
    snprintf(path, sizeof path, "/trips/%ld", one->key);
    one->key = 0;
    break;
  default: strcpy(path, "/healthz");
  }
  length = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: localhost\r\n", method, path);
  if (*body) {
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "Content-Type: application/json\r\nContent-Length: %zu\r\n", strlen(body));
  }
  length += snprintf(text + length, sizeof text - (size_t)length, "\r\n%s", body);
  one->length = 0;
  one->is_waiting = 1;
  one->began = now();
  if (write(one->socket, text, (size_t)length) != length) stop("write");
}

// The length of a whole response at the beginning of what was received, 0 if more is to come.
static size_t response_length(const struct connection *one, int status) {
  const char *end = strstr(one->bytes, "\r\n\r\n");
  const char *field;
  size_t head;
  if (!end) return 0;
  head = (size_t)(end - one->bytes) + 4;
  if (status == 204) return head;
  field = strcasestr(one->bytes, "\r\ncontent-length:");
  if (field && field < end) {
    size_t length = head + strtoul(field + 17, NULL, 10);
    return one->length >= length ? length : 0;
  }
  // In chunks: the last one is empty.
  return one->length >= head + 5 && !memcmp(one->bytes + one->length - 5, "0\r\n\r\n", 5)
             ? one->length
             : 0;
}

// Whether the request is answered.
static int receive(struct connection *one) {
  int status = 0;
  for (;;) {
    ssize_t count =
        read(one->socket, one->bytes + one->length, sizeof one->bytes - one->length - 1);
    if (count < 0 && errno == EAGAIN) return 0;
    if (count <= 0) stop("the server closed a connection");
    one->length += (size_t)count;
    one->bytes[one->length] = 0;
    if (one->length > 12) status = atoi(one->bytes + 9);
    if (response_length(one, status)) break;
  }
  one->is_waiting = 0;
  note(one->kind, now() - one->began);
  if (status >= 400) {
    if (failures < 3) fprintf(stderr, "load: %.300s\n", one->bytes);
    failures += 1;
  } else if (one->kind == INSERT) {
    const char *location = strcasestr(one->bytes, "\r\nlocation: /trips/");
    one->key = location ? atol(location + 19) : 0;
  }
  return 1;
}

static void read_keys(void) {
  long key;
  while (scanf("%ld", &key) == 1) {
    keys = realloc(keys, (key_count + 1) * sizeof *keys);
    if (!keys) stop("realloc");
    keys[key_count] = key;
    key_count += 1;
  }
  if (!key_count) stop("no keys");
}

int main(int count, char **words) {
  if (count != 7) {
    fputs("usage: load PORT SECONDS INTERVAL READERS KINDS WRITERS\n", stderr);
    return 64;
  }
  int port = atoi(words[1]), readers = atoi(words[4]), writers = atoi(words[6]);
  double seconds = atof(words[2]), interval = atof(words[3]);
  int all = readers + writers + 1, poll = epoll_create1(0);
  struct connection *connections = calloc((size_t)all, sizeof *connections);
  struct connection *health = connections + all - 1;
  double start, next, next_health, bound = 1;
  if (!connections || poll < 0) stop("epoll_create1");
  readers_kinds = words[5];
  read_keys();
  for (int class = 0; class < CLASSES; class += 1) bounds[class] = bound, bound *= 1.05;
  for (int index = 0; index < all; index += 1) {
    connections[index].is_writer = index >= readers && index < all - 1;
    connections[index].is_health = index == all - 1;
    open_connection(&connections[index], port, poll);
  }
  start = next_health = now();
  next = start + interval;
  for (int index = 0; index < all - 1; index += 1) ask(&connections[index]);
  for (;;) {
    struct epoll_event events[256];
    double time = now();
    int ready, wanted = 0;
    if (time >= next) {
      print(time - (next - interval));
      next += interval;
    }
    // After the end each writer deletes what it inserted.
    if (time >= start + seconds) {
      for (int index = 0; index < all; index += 1) {
        wanted += connections[index].is_waiting || connections[index].key;
      }
      if (!wanted) break;
    }
    if (!health->is_waiting && time >= next_health && time < start + seconds) {
      ask(health);
      next_health = time + 0.01;
    }
    ready = epoll_wait(poll, events, 256, 5);
    for (int index = 0; index < ready; index += 1) {
      struct connection *one = events[index].data.ptr;
      if (!receive(one) || one->is_health) continue;
      if (now() < start + seconds || one->key) ask(one);
    }
  }
  return 0;
}
