"""Facts: quantities that do not depend on the release, each with the evidence it comes from."""
