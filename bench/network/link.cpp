// A wire between two network namespaces with the bandwidth and delay of a real one, for machines whose
// kernel has no netem: each namespace gets a tun device `wire`, and packets that one sends reach the other
// after they would have left a line of this bandwidth, plus the delay.
//
//   link NAMESPACE NAMESPACE MBIT_PER_S DELAY_US     runs until it is killed
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr std::size_t kLargestPacket = 9000;  // a jumbo frame; the script sets the same MTU

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::perror(what.c_str());
  std::exit(1);
}

int open_wire(const std::string& name_space) {
  const int place = ::open(("/run/netns/" + name_space).c_str(), O_RDONLY);
  require(place >= 0 && ::setns(place, CLONE_NEWNET) == 0, "namespace " + name_space);
  ::close(place);
  const int device = ::open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, "wire", IFNAMSIZ - 1);
  require(device >= 0 && ::ioctl(device, TUNSETIFF, &request) == 0, "tun device in " + name_space);
  return device;
}

struct Packet {
  Clock::time_point due;
  std::vector<char> bytes;
};

void wait_for_packets(int from, const std::deque<Packet>& under_way) {
  pollfd readable{from, POLLIN, 0};
  if (under_way.empty()) {
    ::ppoll(&readable, 1, nullptr, nullptr);
    return;
  }
  const nanoseconds left =
      std::max(nanoseconds(0), nanoseconds(under_way.front().due - Clock::now()));
  const timespec timeout{0, left.count()};  // below a second: the queue of a wire is short
  ::ppoll(&readable, 1, &timeout, nullptr);
}

void carry(int from, int to, double bits_per_ns, nanoseconds delay) {
  ::prctl(PR_SET_TIMERSLACK, 1);
  std::deque<Packet> under_way;
  std::array<char, kLargestPacket + 100> bytes{};
  Clock::time_point line_free = Clock::now();
  for (;;) {
    wait_for_packets(from, under_way);
    for (ssize_t size = 0; (size = ::read(from, bytes.data(), bytes.size())) > 0;) {
      const auto time_on_line =
          nanoseconds(static_cast<long>(8.0 * static_cast<double>(size) / bits_per_ns));
      line_free = std::max(line_free, Clock::now()) + time_on_line;
      under_way.push_back({line_free + delay, {bytes.data(), bytes.data() + size}});
    }
    for (; !under_way.empty() && under_way.front().due <= Clock::now(); under_way.pop_front()) {
      const std::vector<char>& packet = under_way.front().bytes;
      if (::write(to, packet.data(), packet.size()) < 0) std::perror("a packet is lost");
    }
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) {
    std::fputs("link NAMESPACE NAMESPACE MBIT_PER_S DELAY_US\n", stderr);
    return 2;
  }
  const int left = open_wire(words[1]);
  const int right = open_wire(words[2]);
  const double bits_per_ns = std::atof(words[3]) * 1e-3;
  const auto delay = nanoseconds(static_cast<long>(std::atof(words[4]) * 1e3));
  std::thread forth(carry, left, right, bits_per_ns, delay);
  carry(right, left, bits_per_ns, delay);
}
