// What is known of the program that started this one as a rank.
#pragma once

namespace ggpm::internal {

// Standard input of the first rank may end early without a sign of it.
bool launcher_may_lose_standard_input();

}  // namespace ggpm::internal
