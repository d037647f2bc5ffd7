#pragma once

namespace brim::worker {

/// Uses the libraries once, so that what they hold for good is part of the idle worker and not of its first task.
void warm_up();

}  // namespace brim::worker
