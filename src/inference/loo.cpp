// Leave-one-out without refitting: the cavity of site i is the distribution of latent i given the
// other sites. For EP log Z_i is the density itself; for the other methods it is linear response.
#include <vector>

#include "ggpm/inference.hpp"

namespace ggpm {

LeaveOneOut leave_one_out(const Likelihood& likelihood,
                          std::span<const Row> rows,
                          const Posterior& posterior) {
  const Index n = posterior.mean.size();
  if (static_cast<Index>(rows.size()) != n)
    throw UsageError("leave_one_out: the posterior belongs to another number of rows");
  LeaveOneOut loo{posterior.cavity_mean, posterior.cavity_variance, Vector(n), {}};
  for (Index i = 0; i < n; ++i) {
    if (loo.variance[i] > 0) continue;
    loo.improper.push_back(i);
    loo.mean[i] = posterior.mean[i];
    loo.variance[i] = posterior.variance[i];
  }
  std::vector<Row> once(rows.begin(), rows.end());  // a density is that of one row
  for (Row& row : once) row.weight = 1;
  std::vector<Tilted> tilted(rows.size());
  const std::size_t size = rows.size();
  likelihood.tilted(once, {loo.mean.data(), size}, {loo.variance.data(), size}, tilted, Dphi::skip);
  for (Index i = 0; i < n; ++i) loo.log_density[i] = tilted[static_cast<std::size_t>(i)].log_z;
  return loo;
}

}  // namespace ggpm
