// A library with the binary interface of MPI 5.0, over the one of MPICH: handles, constants and statuses are translated.
// It fails the first call of the function that STAND_IN_FAIL names, in the process of rank 1.
#include <dlfcn.h>
#include <cstdint>
#include <cstdlib>
#include <cstring>

// The standard's side: handles are pointers.
typedef void *Handle;
struct Status {
  int source, tag, error, internal[5];
};
// MPICH's side: handles are numbers.
struct Inner {
  int count_lo, count_hi, source, tag, error;
};

template <typename F> static F *find(const char *name) {
  static void *library = dlopen("libmpich.so.12", RTLD_NOW | RTLD_GLOBAL);
  void *found = library ? dlsym(library, name) : nullptr;
  if (!found) abort();
  return reinterpret_cast<F *>(found);
}

// Whether this call is to fail.
static bool fails(const char *name) {
  static bool done = false;
  const char *wanted = getenv("STAND_IN_FAIL");
  const char *rank = getenv("PMI_RANK");
  if (done || !wanted || !rank || strcmp(rank, "1") || strcmp(wanted, name)) return false;
  return done = true;
}
enum { FAILURE = 16 };

static int in(Handle handle) {
  switch (reinterpret_cast<intptr_t>(handle)) {
  case 0x101: return 0x44000000;  // MPI_COMM_WORLD
  case 0x247: return 0x4c00010d;  // MPI_BYTE
  case 0x142: return 0x54000001;  // MPI_ERRORS_RETURN
  default: return static_cast<int>(reinterpret_cast<intptr_t>(handle));
  }
}
static void out(Handle *handle, int value) { *handle = reinterpret_cast<Handle>(static_cast<intptr_t>(static_cast<unsigned>(value))); }
static int source(int rank) { return rank == -1 ? -2 : rank; }
static int tags(int tag) { return tag == -2 ? -1 : tag; }
static void out(Status *status, const Inner &inner) {
  *status = Status{inner.source, inner.tag, inner.error, {inner.count_lo, inner.count_hi}};
}
static Inner in(const Status *status) {
  return Inner{status->internal[0], status->internal[1], status->source, status->tag, status->error};
}

#define FORWARD(type, ...) \
  if (fails(__func__)) return FAILURE; \
  return find<int type>(__func__)(__VA_ARGS__)

extern "C" {
int MPI_Get_library_version(char *text, int *length) {
  strcpy(text, "a stand-in for MPI 5.0\nover MPICH");
  *length = static_cast<int>(strlen(text));
  return 0;
}
int MPI_Initialized(int *flag) { FORWARD((int *), flag); }
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
  if (fails(__func__)) return FAILURE;
  int code = find<int(int *, char ***, int, int *)>(__func__)(argc, argv, required / 1024 - (required > 2048), provided);
  // 0, 1, 2, 3 are 0, 1024, 2048, 4096.
  *provided = *provided == 3 ? 4096 : 1024 * *provided;
  if (const char *level = getenv("STAND_IN_LEVEL")) *provided = atoi(level);
  return code;
}
int MPI_Finalize() { FORWARD(()); }
int MPI_Abort(Handle comm, int code) { FORWARD((int, int), in(comm), code); }
int MPI_Comm_dup(Handle comm, Handle *copy) {
  if (fails(__func__)) return FAILURE;
  int inner = 0;
  int code = find<int(int, int *)>(__func__)(in(comm), &inner);
  out(copy, inner);
  return code;
}
int MPI_Comm_rank(Handle comm, int *rank) { FORWARD((int, int *), in(comm), rank); }
int MPI_Comm_size(Handle comm, int *size) { FORWARD((int, int *), in(comm), size); }
int MPI_Comm_set_errhandler(Handle comm, Handle handler) { FORWARD((int, int), in(comm), in(handler)); }
int MPI_Error_string(int code, char *text, int *length) { FORWARD((int, char *, int *), code, text, length); }
int MPI_Isend(const void *bytes, int count, Handle type, int to, int tag, Handle comm, Handle *request) {
  if (fails(__func__)) return FAILURE;
  int inner = 0;
  int code = find<int(const void *, int, int, int, int, int, int *)>(__func__)(bytes, count, in(type), to, tag, in(comm), &inner);
  out(request, inner);
  return code;
}
int MPI_Irecv(void *bytes, int count, Handle type, int from, int tag, Handle comm, Handle *request) {
  if (fails(__func__)) return FAILURE;
  int inner = 0;
  int code = find<int(void *, int, int, int, int, int, int *)>(__func__)(bytes, count, in(type), source(from), tags(tag), in(comm), &inner);
  out(request, inner);
  return code;
}
int MPI_Improbe(int from, int tag, Handle comm, int *flag, Handle *message, Status *status) {
  if (fails(__func__)) return FAILURE;
  int inner = 0;
  Inner found{};
  int code = find<int(int, int, int, int *, int *, Inner *)>(__func__)(source(from), tags(tag), in(comm), flag, &inner, &found);
  out(message, inner);
  out(status, found);
  return code;
}
int MPI_Imrecv(void *bytes, int count, Handle type, Handle *message, Handle *request) {
  if (fails(__func__)) return FAILURE;
  int received = in(*message), inner = 0;
  int code = find<int(void *, int, int, int *, int *)>(__func__)(bytes, count, in(type), &received, &inner);
  out(message, received);
  out(request, inner);
  return code;
}
int MPI_Iallgatherv(const void *from, int count, Handle type, void *to, const int *counts, const int *places, Handle to_type, Handle comm,
                    Handle *request) {
  if (fails(__func__)) return FAILURE;
  int inner = 0;
  const void *in_place = reinterpret_cast<const void *>(intptr_t(-1));
  int code = find<int(const void *, int, int, void *, const int *, const int *, int, int, int *)>(__func__)(
      from == reinterpret_cast<const void *>(intptr_t(1)) ? in_place : from, count, in(type), to, counts, places, in(to_type), in(comm), &inner);
  out(request, inner);
  return code;
}
int MPI_Ibarrier(Handle comm, Handle *request) {
  if (fails(__func__)) return FAILURE;
  int inner = 0;
  int code = find<int(int, int *)>(__func__)(in(comm), &inner);
  out(request, inner);
  return code;
}
int MPI_Test(Handle *request, int *flag, Status *status) {
  if (fails(__func__)) return FAILURE;
  int inner = in(*request);
  Inner found{};
  int code = find<int(int *, int *, Inner *)>(__func__)(&inner, flag, &found);
  out(request, inner);
  out(status, found);
  return code;
}
int MPI_Cancel(Handle *request) {
  int inner = in(*request);
  FORWARD((int *), &inner);
}
int MPI_Test_cancelled(const Status *status, int *flag) {
  Inner inner = in(status);
  FORWARD((const Inner *, int *), &inner, flag);
}
int MPI_Get_count(const Status *status, Handle type, int *count) {
  Inner inner = in(status);
  FORWARD((const Inner *, int, int *), &inner, in(type), count);
}
}
