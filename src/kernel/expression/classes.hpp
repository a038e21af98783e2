// classes(a, b, c): a kernel for each class of the likelihood softmax, in their order; classes(a) is
// that many copies of a, each with parameters of its own. It is the whole of an expression, never a
// part of one.
#pragma once

#include "ggpm/kernel.hpp"
#include "kernel/expression/node.hpp"

namespace ggpm::internal {

// Of classes(...), one where it is still to be copied. Of another kernel itself, which all classes
// share.
std::vector<Kernel> kernels_of_classes(const Kernel& kernel);
std::vector<Kernel> kernels_of_classes(const Kernel& kernel, Index classes);  // or UsageError
bool has_classes(const Kernel& kernel);

// classes(a) with its copies; anything else as it is. Binding comes after it. UsageError where there
// are kernels for another number of classes.
Kernel copied_for_classes(const Kernel& unbound, int classes);

namespace kern {

NodePtr make_classes(std::vector<NodePtr> kernels);
std::vector<NodePtr> class_kernels(const NodePtr& node);  // none of another kernel
void refuse_classes(const NodePtr& part);                 // UsageError if it has classes

}  // namespace kern
}  // namespace ggpm::internal
