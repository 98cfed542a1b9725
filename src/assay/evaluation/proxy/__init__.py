"""Evaluation of few labels by people with many by a proxy."""
