// A body at one instant, of a simulation or of a frame.
#pragma once

#include "bodies/body.h"
#include "frames/frame.h"

#include <string>
#include <vector>

namespace talus::python {

struct PyBody {
  std::string name;
  BodyState state;
  BodyLoad load;  ///< mean over the frame's interval
};

inline std::vector<PyBody> bodies_of(const FrameInfo& info) {
  std::vector<PyBody> out;
  for (const FrameBody& b : info.bodies) out.push_back({b.name, b.state, b.load});
  return out;
}

}  // namespace talus::python
