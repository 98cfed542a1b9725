# Formulas that several scripts share, each from the paper that it names; equations are solved to 1e-15.
solve_for <- function(f, low, high) uniroot(f, c(low, high), tol = 1e-15, maxiter = 10000)$root

wilson <- function(x, n, level) suppressWarnings(as.numeric(prop.test(x, n, conf.level = level, correct = FALSE)$conf.int))
wilson_corrected <- function(x, n, level) suppressWarnings(as.numeric(prop.test(x, n, conf.level = level)$conf.int))
clip <- function(limits, low = 0, high = 1) pmin(pmax(limits, low), high)

# Wilson's limits, or the exact one-sided ones of the same level where those lie further out.
modified_wilson <- function(x, n, level) {
  limits <- wilson(x, n, level)
  exact <- function(side) as.numeric(binom.test(x, n, conf.level = level, alternative = side)$conf.int)
  c(min(limits[1], exact("greater")[1]), max(limits[2], exact("less")[2]))
}

agresti_coull <- function(x, n, level) {
  z <- qnorm((1 + level) / 2)
  middle <- (x + z^2 / 2) / (n + z^2)
  clip(middle + c(-1, 1) * z * sqrt(middle * (1 - middle) / (n + z^2)))
}

# Brown, Cai and DasGupta (2001): at the ends the limit is the end itself.
jeffreys <- function(x, n, level) {
  limits <- qbeta(c(1 - level, 1 + level) / 2, x + 0.5, n - x + 0.5)
  c(if (x == 0) 0 else limits[1], if (x == n) 1 else limits[2])
}

mid_p <- function(x, n, level) {
  tail <- (1 - level) / 2
  below <- function(p) pbinom(x - 1, n, p) + dbinom(x, n, p) / 2
  c(if (x == 0) 0 else solve_for(function(p) 1 - below(p) - tail, 0, 1),
    if (x == n) 1 else solve_for(function(p) below(p) - tail, 0, 1))
}

# Tango (1998): as before, of pairs; b and c are the counts of pairs that differ.
tango <- function(b, c, n) {
  score <- function(d) {
    a <- 2 * n
    half <- -b - c + (2 * n - b + c) * d
    q <- (sqrt(half^2 - 4 * a * -c * d * (1 - d)) - half) / (2 * a)
    (b - c - n * d) / sqrt(n * (2 * q + d * (1 - d)))
  }
  z <- qnorm(0.975)
  at <- (b - c) / n
  c(solve_for(function(d) score(d) - z, -1 + 1e-9, at - 1e-9), solve_for(function(d) score(d) + z, at + 1e-9, 1 - 1e-9))
}

# Cohen's kappa with agreement weights w. The error is that of Fleiss, Cohen and Everitt (1969) at the estimate, the
# null error theirs at kappa 0; the package irr, which Debian does not have, tests with the second.
kappa_by_formula <- function(table, w) {
  n <- sum(table)
  p <- table / n
  rows <- rowSums(p)
  cols <- colSums(p)
  chance <- outer(rows, cols)
  observed <- sum(w * p)
  expected <- sum(w * chance)
  value <- (observed - expected) / (1 - expected)
  slopes <- outer(as.vector(w %*% cols), as.vector(t(w) %*% rows), "+")
  error <- sqrt((sum(p * (w - slopes * (1 - value))^2) - (value - expected * (1 - value))^2) / n) / (1 - expected)
  null <- sqrt((sum(chance * (w - slopes)^2) - expected^2) / n) / (1 - expected)
  limits <- lapply(c(ci90 = 0.9, ci95 = 0.95, ci99 = 0.99), function(level) {
    half <- qnorm((1 + level) / 2) * error
    list(kappa = value, lwr.ci = value - half, upr.ci = value + half)
  })
  c(list(value = value, se = error, z = value / null, p.value = 2 * (1 - pnorm(value / null))), limits)
}

# Areas under precision and recall. Between two cutoffs the integral follows Davis and Goadrich (2006), in the
# continuous form of Keilwagen, Grosse and Grau (2014); average precision is a sum of steps.
pr_areas <- function(score, positive) {
  cutoffs <- sort(unique(score), decreasing = TRUE)
  tp <- c(0, vapply(cutoffs, function(at) sum(positive & score >= at), 0))
  fp <- c(0, vapply(cutoffs, function(at) sum(!positive & score >= at), 0))
  recall <- tp / sum(positive)
  precision <- ifelse(tp + fp > 0, tp / (tp + fp), 1)
  last <- length(tp)
  step <- diff(recall)
  between <- vapply(seq_len(last - 1), function(i) {
    hits <- tp[i + 1] - tp[i]
    if (hits == 0) return(0)
    slope <- (fp[i + 1] - fp[i]) / hits
    whole <- 1 + slope
    off <- fp[i] - slope * tp[i]
    end <- function(t) if (off == 0) t / whole else t / whole - off / whole^2 * log(whole * t + off)
    (end(tp[i + 1]) - end(tp[i])) / sum(positive)
  }, 0)
  list(average_precision = sum(step * precision[-1]),
       trapezoid = sum(step * (precision[-1] + precision[-last]) / 2),
       davis_goadrich = sum(between))
}
