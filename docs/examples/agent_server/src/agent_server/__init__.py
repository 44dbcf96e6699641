"""A server that runs scripts of shell steps for an agent and asks it for what only it can do."""
