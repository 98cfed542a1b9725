source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
# Proportions: intervals of one, of a difference, of a paired difference, and McNemar's test. Base R where it has the
# method; the rest are the formulas of the papers, solved to 1e-14.
settings <- expand.grid(conf.level = c(0.9, 0.95, 0.99), case = seq_len(18))
cases <- list(c(0, 10), c(1, 10), c(5, 10), c(9, 10), c(10, 10), c(0, 100), c(1, 100), c(50, 100), c(98, 100), c(99, 100),
              c(100, 100), c(3, 29), c(15, 148), c(154, 183), c(1202, 1207), c(154, 159), c(1356, 1390), c(1355, 1390))
intervals <- lapply(seq_len(nrow(settings)), function(i) {
  x <- cases[[settings$case[i]]][1]
  n <- cases[[settings$case[i]]][2]
  level <- settings$conf.level[i]
  list(x = x, n = n, conf.level = level,
       wilson = wilson(x, n, level), "modified-wilson" = modified_wilson(x, n, level),
       "clopper-pearson" = as.numeric(binom.test(x, n, conf.level = level)$conf.int),
       "agresti-coull" = agresti_coull(x, n, level), jeffreys = jeffreys(x, n, level),
       "wilson-corrected" = wilson_corrected(x, n, level), "mid-p" = mid_p(x, n, level))
})
write_figures("proportion_ci", versions = versions(), intervals = intervals)

# Newcombe (1998): the squared distances of both Wilson limits, added; with or without continuity correction.
newcombe <- function(x1, n1, x2, n2, limits) {
  first <- limits(x1, n1, 0.95)
  second <- limits(x2, n2, 0.95)
  p <- c(x1 / n1, x2 / n2)
  p[1] - p[2] + c(-sqrt((p[1] - first[1])^2 + (second[2] - p[2])^2), sqrt((first[2] - p[1])^2 + (p[2] - second[1])^2))
}

wald_difference <- function(x1, n1, x2, n2) {
  p <- c(x1 / n1, x2 / n2)
  p[1] - p[2] + c(-1, 1) * qnorm(0.975) * sqrt(sum(p * (1 - p) / c(n1, n2)))
}

# Miettinen and Nurminen (1985): the difference d at which the score, with the likeliest proportions under d, is z.
miettinen_nurminen <- function(x1, n1, x2, n2) {
  score <- function(d) {
    slope <- function(p) x1 / (p + d) - (n1 - x1) / (1 - p - d) + x2 / p - (n2 - x2) / (1 - p)
    low <- max(0, -d) + 1e-12
    high <- min(1, 1 - d) - 1e-12
    p2 <- if (slope(low) <= 0) low else if (slope(high) >= 0) high else solve_for(slope, low, high)
    p <- c(p2 + d, p2)
    (x1 / n1 - x2 / n2 - d) / sqrt(sum(p * (1 - p) / c(n1, n2)) * (n1 + n2) / (n1 + n2 - 1))
  }
  z <- qnorm(0.975)
  at <- x1 / n1 - x2 / n2
  c(solve_for(function(d) score(d) - z, -1 + 1e-9, at), solve_for(function(d) score(d) + z, at, 1 - 1e-9))
}

# Agresti and Min (2005): Wald's interval after half a pair is added to each cell.
adjusted_wald <- function(b, c, n) {
  b <- b + 0.5
  c <- c + 0.5
  n <- n + 2
  (b - c) / n + c(-1, 1) * qnorm(0.975) * sqrt(b + c - (b - c)^2 / n) / n
}

mcnemar_figures <- function(table) {
  b <- table[1, 2]
  n <- b + table[2, 1]
  less <- min(b, n - b)
  list(table = table,
       mcnemar_uncorrected = test_fields(mcnemar.test(table, correct = FALSE)),
       mcnemar_corrected = test_fields(mcnemar.test(table)),
       exact_binom = test_fields(binom.test(b, n)),
       exact_by_formula = list(p.value = min(1, 2 * pbinom(less, n, 0.5))),
       mid_p_by_formula = list(p.value = min(1, 2 * pbinom(less, n, 0.5) - dbinom(less, n, 0.5))))
}

right <- c("TRUE", "FALSE")
tables <- list(
  sms_actual_vs_predict = spam_tables$ed1,
  nb_vs_knn_correctness = table_of(c(1203, 152, 4, 31), right),
  ed1_vs_ed2_correctness = table_of(c(1347, 9, 8, 26), right),
  toy_101_121_59_33 = table_of(c(101, 121, 59, 33), right),
  small_20_9_2_15 = table_of(c(20, 9, 2, 15), right))
groups <- list(x = c(1356, 1355), n = c(1390, 1390))
write_figures("sms_tests_mcnemar_binom", versions = versions(),
  mcnemar = lapply(tables, mcnemar_figures),
  prop_test_two_sample = c(groups, list(uncorrected = test_fields(prop.test(groups$x, groups$n, correct = FALSE)))),
  diff_independent = list(x1 = 154, n1 = 183, x2 = 1202, n2 = 1207, by_formula = list(
    wald = wald_difference(154, 183, 1202, 1207),
    "agresti-caffo" = wald_difference(155, 185, 1203, 1209),
    newcombe = newcombe(154, 183, 1202, 1207, wilson),
    "newcombe-corrected" = newcombe(154, 183, 1202, 1207, wilson_corrected),
    "miettinen-nurminen" = miettinen_nurminen(154, 183, 1202, 1207))),
  diff_paired = list(b = 152, c = 4, n = 1390, conf.level = 0.95,
                     adjusted_wald = adjusted_wald(152, 4, 1390), tango = tango(152, 4, 1390)))
