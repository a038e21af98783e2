// Leave-one-out without refitting: the cavity of site i is the distribution of latent i given the
// other sites. For EP log Z_i is the density itself; for the other methods it is linear response.
#include <vector>

#include "ggpm/inference.hpp"
#include "parallel/ranks.hpp"

namespace ggpm {

LeaveOneOut leave_one_out(const Likelihood& likelihood,
                          const Observations& observed,
                          const Posterior& posterior) {
  const Index n = posterior.mean.size();
  if (observed.size() != n)
    throw UsageError("leave_one_out: the posterior belongs to another number of rows");
  LeaveOneOut loo{posterior.cavity_mean, posterior.cavity_variance, Vector(n), {}};
  for (Index i = 0; i < n; ++i) {
    if (loo.variance[i] > 0) continue;
    loo.improper.push_back(i);
    loo.mean[i] = posterior.mean[i];
    loo.variance[i] = posterior.variance[i];
  }
  const internal::RowShare share(n);
  const Index first = share.begin();
  const auto count = static_cast<std::size_t>(share.end() - first);
  std::vector<Row> once;
  for (Index i = first; i < share.end(); ++i) {
    once.push_back(observed.at(i));
    once.back().weight = 1;  // a density is that of one row
  }
  std::vector<Tilted> tilted(count);
  share.together([&] {
    likelihood.tilted(once,
                      {loo.mean.data() + first, count},
                      {loo.variance.data() + first, count},
                      tilted,
                      Dphi::skip);
  });
  for (std::size_t k = 0; k < count; ++k)
    loo.log_density[first + static_cast<Index>(k)] = tilted[k].log_z;
  share.gather(loo.log_density);
  return loo;
}

}  // namespace ggpm
