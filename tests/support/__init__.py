"""Helpers of the tests: samples, brute-force second ways, browsers and reference figures."""
