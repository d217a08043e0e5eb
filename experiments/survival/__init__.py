"""Which published differences between metrics survive, and what rival methods leave."""
