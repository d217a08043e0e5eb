"""Do intervals for r and for differences of r keep their promise? A simulation study."""
