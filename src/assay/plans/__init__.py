"""Plans: requirements that are fixed before results are seen, and the gate that checks a model by them."""
