/* Direct sums with the leapfrog on OpenCL, and on MPI with -DWITH_MPI, without a runtime: the peer of crates/nbody/examples/overhead.rs.
 *
 *     bare FOLDER BODIES WARM STEPS BLOCKS
 *
 * The folder has the texts of the kernels (acceleration.cl, kick_and_drift.cl, kick.cl), the options of their compiler, and the bodies, as that
 * example writes them. Prints wall and CPU seconds of each block of STEPS steps after WARM ones, and writes the places to bare.RANK.
 *
 * As a good program by hand would: one queue, arguments are set once, nothing is waited for but what the next command needs. Alone, the
 * whole block is queued before the first wait; with MPI, a blocking read of the own positions, MPI_Allgatherv in place, and writes that are not
 * waited for follow each drift. Kernels tell failures by a code, which is read once, at the end. */

#define CL_TARGET_OPENCL_VERSION 120
#define _GNU_SOURCE
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#define GROUP 32 /* work items of a group, as the runtime has it on processors */

static const double STEP = 1.0 / 1024.0, SOFTENING = 0.01;

static void check(cl_int code, const char *what) {
    if (code != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, code);
        exit(1);
    }
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* A whole file, with a zero behind it. */
static char *contents(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    size_t bytes = ftell(file);
    rewind(file);
    char *text = calloc(bytes + 1, 1);
    if (!text || fread(text, 1, bytes, file) != bytes) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return text;
}

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_mem exit_code;
static cl_ulong start, end; /* the bodies of this rank */

/* The only kernel of a text. */
static cl_kernel built(const char *folder, const char *name) {
    cl_int code;
    cl_kernel kernel;
    char file[64];
    snprintf(file, sizeof file, "%s.cl", name);
    const char *text = contents(folder, file);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    check(code, name);
    check(clBuildProgram(program, 1, &device, contents(folder, "options"), NULL, NULL), name);
    check(clCreateKernelsInProgram(program, 1, &kernel, NULL), name);
    return kernel;
}

static cl_mem memory(size_t bytes, const void *values) {
    cl_int code;
    cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | (values ? CL_MEM_COPY_HOST_PTR : 0), bytes, (void *)values, &code);
    check(code, "memory");
    return made;
}

/* Sets the arguments of a kernel: the lanes, numbers of eight bytes, buffers with their lengths, and the exit code. */
static void set(cl_kernel kernel, int numbers, const void **values, int buffers, cl_mem *memories, const cl_ulong *lengths) {
    cl_uint at = 0;
    check(clSetKernelArg(kernel, at++, 8, &start), "start");
    check(clSetKernelArg(kernel, at++, 8, &end), "end");
    for (int i = 0; i < numbers; ++i) check(clSetKernelArg(kernel, at++, 8, values[i]), "number");
    for (int i = 0; i < buffers; ++i) {
        check(clSetKernelArg(kernel, at++, sizeof(cl_mem), &memories[i]), "buffer");
        check(clSetKernelArg(kernel, at++, 8, &lengths[i]), "length");
    }
    check(clSetKernelArg(kernel, at++, sizeof(cl_mem), &exit_code), "exit code");
}

static void launch(cl_kernel kernel) {
    size_t group = GROUP, items = (end - start + GROUP - 1) / GROUP * GROUP;
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL), "launch");
}

int main(int argc, char **argv) {
    int rank = 0, ranks = 1;
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
    if (argc != 6) {
        fprintf(stderr, "bare FOLDER BODIES WARM STEPS BLOCKS\n");
        return 2;
    }
    const char *folder = argv[1];
    const cl_ulong bodies = strtoull(argv[2], NULL, 10);
    const int warm = atoi(argv[3]), steps = atoi(argv[4]), blocks = atoi(argv[5]);
    start = bodies * rank / ranks;
    end = bodies * (rank + 1) / ranks;
    const cl_ulong own = end - start;

    cl_int code;
    cl_platform_id platform;
    check(clGetPlatformIDs(1, &platform, NULL), "platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "context");
    queue = clCreateCommandQueue(context, device, 0, &code);
    check(code, "queue");

    double *place = (double *)contents(folder, "bodies");
    const cl_uint none = 0;
    exit_code = memory(sizeof none, &none);
    double *nothing = calloc(3 * own, sizeof(double));
    cl_mem position = memory(32 * bodies, place), velocity = memory(24 * own, place + 4 * bodies + 3 * start),
           acceleration = memory(24 * own, nothing);
    free(nothing);

    cl_kernel attract = built(folder, "acceleration"), move = built(folder, "kick_and_drift"), kick = built(folder, "kick");
    const double half_step = 0.5 * STEP;
    const cl_ulong all = 4 * bodies, part = 3 * own;
    set(attract, 3, (const void *[]){&start, &bodies, &SOFTENING}, 2, (cl_mem[]){position, acceleration}, (cl_ulong[]){all, part});
    set(move, 3, (const void *[]){&start, &half_step, &STEP}, 3, (cl_mem[]){acceleration, velocity, position},
        (cl_ulong[]){part, part, all});
    set(kick, 2, (const void *[]){&start, &half_step}, 2, (cl_mem[]){acceleration, velocity}, (cl_ulong[]){part, part});
#ifdef WITH_MPI
    int *counts = malloc(ranks * sizeof(int)), *places = malloc(ranks * sizeof(int));
    for (int i = 0; i < ranks; ++i) {
        places[i] = 4 * (bodies * i / ranks);
        counts[i] = 4 * (bodies * (i + 1) / ranks) - places[i];
    }
#endif

    int has_started = 0;
    for (int block = warm > 0 ? -1 : 0; block < blocks; ++block) {
        const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        if (!has_started) launch(attract);
        has_started = 1;
        for (int step = 0; step < (block < 0 ? warm : steps); ++step) {
            launch(move);
#ifdef WITH_MPI
            check(clEnqueueReadBuffer(queue, position, CL_TRUE, 32 * start, 32 * own, place + 4 * start, 0, NULL, NULL), "read");
            MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, place, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
            if (start > 0) check(clEnqueueWriteBuffer(queue, position, CL_FALSE, 0, 32 * start, place, 0, NULL, NULL), "write");
            if (end < bodies)
                check(clEnqueueWriteBuffer(queue, position, CL_FALSE, 32 * end, 32 * (bodies - end), place + 4 * end, 0, NULL, NULL),
                      "write");
#endif
            launch(attract);
            launch(kick);
        }
        check(clFinish(queue), "finish");
        if (block >= 0) {
            printf("%.9f %.9f\n", seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
            fflush(stdout);
        }
    }

    cl_uint failed;
    check(clEnqueueReadBuffer(queue, exit_code, CL_TRUE, 0, sizeof failed, &failed, 0, NULL, NULL), "exit code");
    check(clEnqueueReadBuffer(queue, position, CL_TRUE, 0, 32 * bodies, place, 0, NULL, NULL), "places");
    if (failed) {
        fprintf(stderr, "a kernel failed with code %u\n", failed);
        return 1;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/bare.%d", folder, rank);
    FILE *file = fopen(path, "wb");
    for (cl_ulong body = 0; file && body < bodies; ++body) fwrite(place + 4 * body, sizeof(double), 3, file);
    if (!file || fclose(file)) {
        perror(path);
        return 1;
    }
#ifdef WITH_MPI
    MPI_Finalize();
#endif
    return 0;
}
