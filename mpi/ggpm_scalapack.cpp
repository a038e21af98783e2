// ggpm_scalapack.h over ScaLAPACK. Nothing here knows of Gaussian processes.
#include "ggpm_scalapack.h"

#include <mpi.h>

#include <algorithm>

extern "C" {
void Cblacs_pinfo(int* rank, int* size);
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void descinit_(int* descriptor,
               const int* m,
               const int* n,
               const int* mb,
               const int* nb,
               const int* first_row,
               const int* first_column,
               const int* context,
               const int* stride,
               int* info);
void pdpotrf_(const char* half,
              const int* n,
              double* A,
              const int* i,
              const int* j,
              const int* descriptor,
              int* info);
void pdpotri_(const char* half,
              const int* n,
              double* A,
              const int* i,
              const int* j,
              const int* descriptor,
              int* info);
void pdtrsm_(const char* side,
             const char* half,
             const char* op,
             const char* unit,
             const int* m,
             const int* n,
             const double* factor,
             const double* A,
             const int* iA,
             const int* jA,
             const int* A_descriptor,
             double* B,
             const int* iB,
             const int* jB,
             const int* B_descriptor);
void pdsyrk_(const char* half,
             const char* op,
             const int* n,
             const int* k,
             const double* factor,
             const double* A,
             const int* iA,
             const int* jA,
             const int* A_descriptor,
             const double* before,
             double* C,
             const int* iC,
             const int* jC,
             const int* C_descriptor);
}

namespace {

constexpr int kBlock = 64, kOne = 1, kZero = 0;
constexpr std::size_t kMostAtOnce = std::size_t{1} << 27U;

int context = -1;

struct Descriptor {
  Descriptor(int m, int n, int stride) {
    int info = 0;
    descinit_(entries, &m, &n, &kBlock, &kBlock, &kZero, &kZero, &context, &stride, &info);
  }
  int entries[9];
};

int factor(int n, double* part, int stride) {
  int info = 0;
  pdpotrf_("L", &n, part, &kOne, &kOne, Descriptor(n, n, stride).entries, &info);
  return info;
}

int invert(int n, double* part, int stride) {
  int info = 0;
  pdpotri_("L", &n, part, &kOne, &kOne, Descriptor(n, n, stride).entries, &info);
  return info;
}

void solve(int transposed, int n, int m, const double* L, int stride, double* B, int B_stride) {
  const double whole = 1;
  pdtrsm_("L",
          "L",
          transposed != 0 ? "T" : "N",
          "N",
          &n,
          &m,
          &whole,
          L,
          &kOne,
          &kOne,
          Descriptor(n, n, stride).entries,
          B,
          &kOne,
          &kOne,
          Descriptor(n, m, B_stride).entries);
}

void inner(int n, int m, const double* B, int B_stride, double* C, int C_stride) {
  const double whole = 1, nothing = 0;
  pdsyrk_("L",
          "T",
          &m,
          &n,
          &whole,
          B,
          &kOne,
          &kOne,
          Descriptor(n, m, B_stride).entries,
          &nothing,
          C,
          &kOne,
          &kOne,
          Descriptor(m, m, C_stride).entries);
}

// By one rank, and told: MPI_Allreduce need not have the same bits everywhere.
void sum(double* numbers, size_t count) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t begin = 0; begin < count; begin += kMostAtOnce) {
    double* const part = numbers + begin;
    const int size = static_cast<int>(std::min(kMostAtOnce, count - begin));
    if (rank == 0)
      MPI_Reduce(MPI_IN_PLACE, part, size, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    else
      MPI_Reduce(part, nullptr, size, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(part, size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
}

ggpm_scalapack table{};

}  // namespace

extern "C" __attribute__((visibility("default"))) const ggpm_scalapack* ggpm_scalapack_join() {
  int rank = 0, size = 0;
  Cblacs_pinfo(&rank, &size);
  int rows = 1;  // as near to a square as whole numbers allow
  for (int r = 1; r * r <= size; ++r)
    if (size % r == 0) rows = r;
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", rows, size / rows);
  table.interface_number = GGPM_SCALAPACK_INTERFACE;
  Cblacs_gridinfo(context, &table.rows, &table.columns, &table.row, &table.column);
  if (table.row < 0) return nullptr;
  table.block = kBlock;
  table.factor = factor;
  table.invert = invert;
  table.solve = solve;
  table.inner = inner;
  table.sum = sum;
  return &table;
}
