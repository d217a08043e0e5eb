"""Teams of systems: level and coverage if a team is the unit, and suspicion of near-copies."""
