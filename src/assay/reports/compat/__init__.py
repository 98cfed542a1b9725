"""Evaluations printed in the layout of caret, scikit-learn, yardstick and pROC."""
