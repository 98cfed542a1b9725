// Rows of (actual, predicted) taken one by one: what the weighted and the plain moments share.
#pragma once

#include "kernel/sums/wide_integers.hpp"

namespace assay::sums {

// Digits of the sums of values (products of `Factors` doubles) and of their squares.
template <int Factors>
struct PairDigits {
    // Apart for rows with actual < predicted: that gives the sum of |error| as well.
    Digits<Factors> actual[2], predicted[2];
    Digits<Factors + 1> squared_actual, squared_predicted, cross;

    // Moves what has been added into the sums of a Moments or WeightedMoments.
    template <class Sums>
    void flush(Sums& sums) {
        for (const bool below : {false, true}) {
            decltype(sums.actual) of_a, of_p;
            actual[below].flush(of_a);
            predicted[below].flush(of_p);
            sums.actual.add(of_a);
            sums.predicted.add(of_p);
            sums.absolute_error.add(below ? of_p : of_a);
            sums.absolute_error.subtract(below ? of_a : of_p);
        }
        decltype(sums.squared_actual) of_a, of_p;
        squared_actual.flush(of_a);
        squared_predicted.flush(of_p);
        sums.squared_actual.add(of_a);
        sums.squared_predicted.add(of_p);
        // (a - p)**2 = a**2 - 2 a p + p**2: cancellation is harmless among integers.
        sums.squared_error.add(of_a);
        sums.squared_error.add(of_p);
        cross.flush(sums.squared_error, 1, true);
    }
};

// Adds another walker's sums.
template <class Sums>
void add_pair_sums(Sums& sums, const Sums& other) {
    sums.actual.add(other.actual);
    sums.predicted.add(other.predicted);
    sums.absolute_error.add(other.absolute_error);
    sums.squared_actual.add(other.squared_actual);
    sums.squared_predicted.add(other.squared_predicted);
    sums.squared_error.add(other.squared_error);
}

}  // namespace assay::sums
