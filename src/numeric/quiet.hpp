// How Boost's functions fail.
#pragma once

#include <boost/math/policies/policy.hpp>

namespace ggpm::internal::numeric {

// Distribution functions answer NaN or infinity, never throw: the caller looks at the result.
using Quiet = boost::math::policies::policy<
    boost::math::policies::domain_error<boost::math::policies::ignore_error>,
    boost::math::policies::pole_error<boost::math::policies::ignore_error>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>,
    boost::math::policies::promote_double<false>>;
inline constexpr Quiet quiet{};

}  // namespace ggpm::internal::numeric
