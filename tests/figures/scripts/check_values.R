source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
# The check values O1 to O46, from the inputs in check_values.json as they stand there. Slopes are taken by a complex
# step, f(x + ih) / h, which is exact to the last digits; standard errors by the delta method follow from them.
suppressMessages(library(pROC))

z <- qnorm(0.975)
limits <- function(name, pair) setNames(as.list(pair), paste0(name, c("_lo", "_hi")))
slopes <- function(f, x) vapply(seq_along(x), function(i) { y <- as.complex(x); y[i] <- y[i] + 1e-30i; Im(f(y)) / 1e-30 }, 0)
delta_error <- function(f, counts) sqrt(sum(counts * slopes(f, counts)^2))
acceleration <- function(parts) sum(parts^3) / (6 * sum(parts^2)^1.5)
accelerated <- function(f, counts) {
  g <- slopes(f, counts)
  sum(counts * g^3) / (6 * sum(counts * g^2)^1.5)
}
on_logit <- function(value, error) plogis(qlogis(value) + c(-1, 1) * z * error / (value * (1 - value)))
on_atanh <- function(value, error) tanh(atanh(value) + c(-1, 1) * z * error / (1 - value^2))
on_log <- function(value, error) value * exp(c(-1, 1) * z * error / value)

proportion_values <- function(x, n) c(
  limits("wilson", clip(wilson(x, n, 0.95))), limits("clopper_pearson", as.numeric(binom.test(x, n)$conf.int)),
  limits("agresti_coull", agresti_coull(x, n, 0.95)), limits("jeffreys", jeffreys(x, n, 0.95)),
  limits("mid_p", mid_p(x, n, 0.95)), limits("wilson_cc", wilson_corrected(x, n, 0.95)))

# Two classes: counts are tn, fp, fn, tp.
binary <- list(
  accuracy = function(c) (c[1] + c[4]) / sum(c), sensitivity = function(c) c[4] / (c[3] + c[4]),
  specificity = function(c) c[1] / (c[1] + c[2]), ppv = function(c) c[4] / (c[2] + c[4]),
  npv = function(c) c[1] / (c[1] + c[3]), prevalence = function(c) (c[3] + c[4]) / sum(c),
  f1 = function(c) 2 * c[4] / (2 * c[4] + c[2] + c[3]), f2 = function(c) 5 * c[4] / (5 * c[4] + c[2] + 4 * c[3]),
  f05 = function(c) 1.25 * c[4] / (1.25 * c[4] + c[2] + 0.25 * c[3]),
  mcc = function(c) (c[4] * c[1] - c[2] * c[3]) / sqrt((c[4] + c[2]) * (c[4] + c[3]) * (c[1] + c[2]) * (c[1] + c[3])),
  kappa = function(c) {
    chance <- ((c[1] + c[2]) * (c[1] + c[3]) + (c[3] + c[4]) * (c[2] + c[4])) / sum(c)^2
    ((c[1] + c[4]) / sum(c) - chance) / (1 - chance)
  },
  balanced_accuracy = function(c) (c[4] / (c[3] + c[4]) + c[1] / (c[1] + c[2])) / 2,
  informedness = function(c) c[4] / (c[3] + c[4]) + c[1] / (c[1] + c[2]) - 1,
  markedness = function(c) c[4] / (c[2] + c[4]) + c[1] / (c[1] + c[3]) - 1,
  jaccard = function(c) c[4] / (c[4] + c[2] + c[3]),
  gmean = function(c) sqrt(c[4] / (c[3] + c[4]) * c[1] / (c[1] + c[2])),
  fowlkes_mallows = function(c) sqrt(c[4] / (c[2] + c[4]) * c[4] / (c[3] + c[4])),
  lift = function(c) c[4] / (c[2] + c[4]) * sum(c) / (c[3] + c[4]),
  lr_pos = function(c) c[4] / (c[3] + c[4]) * (c[1] + c[2]) / c[2],
  lr_neg = function(c) c[3] / (c[3] + c[4]) * (c[1] + c[2]) / c[1],
  dor = function(c) c[4] * c[1] / (c[2] * c[3]))
cells <- c(68, 12, 5, 45)

# MOVER (Zou and Donner 2008): the squared distances of the parts' limits, added.
mover <- function(values, limits, weights, constant = 0) {
  below <- vapply(seq_along(values), function(i) weights[i] * (values[i] - limits[[i]][1]), 0)
  above <- vapply(seq_along(values), function(i) weights[i] * (limits[[i]][2] - values[i]), 0)
  sum(weights * values) + constant + c(-1, 1) * sqrt(c(sum(below^2), sum(above^2)))
}
share_mover <- function(x, n, weights, constant = 0) {
  mover(x / n, lapply(seq_along(x), function(i) wilson(x[i], n[i], 0.95)), weights, constant)
}

# Koopman (1984): the ratio r at which chi-square, with the likeliest proportions under r, is z squared.
koopman <- function(x1, n1, x2, n2) {
  excess <- function(r) {
    n <- n1 + n2
    b <- r * (n1 + x2) + x1 + n2
    p1 <- (b - sqrt(b^2 - 4 * r * n * (x1 + x2))) / (2 * n)
    p2 <- p1 / r
    (x1 - n1 * p1)^2 / (n1 * p1 * (1 - p1)) + (x2 - n2 * p2)^2 / (n2 * p2 * (1 - p2)) - z^2
  }
  at <- x1 / n1 / (x2 / n2)
  c(solve_for(excess, at / 20, at * 0.999), solve_for(excess, at * 1.001, at * 20))
}

binary_intervals <- function() {
  tn <- cells[1]; fp <- cells[2]; fn <- cells[3]; tp <- cells[4]
  value <- lapply(binary, function(f) f(cells))
  error <- lapply(binary, function(f) delta_error(f, cells))
  jaccard <- wilson(tp, tp + fp + fn, 0.95)
  plus <- sqrt(1 / tp - 1 / (tp + fn) + 1 / fp - 1 / (fp + tn))
  minus <- sqrt(1 / fn - 1 / (tp + fn) + 1 / tn - 1 / (fp + tn))
  woolf <- sqrt(sum(1 / cells))
  kappa <- kappa_by_formula(matrix(cells, 2, byrow = TRUE), diag(2))
  null <- kappa$value / kappa$z
  c(limits("f1_wilson_via_jaccard", 2 * jaccard / (1 + jaccard)),
    limits("bacc_mover", share_mover(c(tp, tn), c(tp + fn, tn + fp), c(0.5, 0.5))),
    limits("informedness_mover", share_mover(c(tp, tn), c(tp + fn, tn + fp), c(1, 1), -1)),
    limits("markedness_mover", share_mover(c(tp, tn), c(tp + fp, tn + fn), c(1, 1), -1)),
    list(lr_pos_log_se = plus, lr_neg_log_se = minus, dor_woolf_logse = woolf),
    limits("lr_pos_log", value$lr_pos * exp(c(-1, 1) * z * plus)), limits("lr_pos_koopman", koopman(tp, tp + fn, fp, fp + tn)),
    limits("lr_neg_log", value$lr_neg * exp(c(-1, 1) * z * minus)), limits("lr_neg_koopman", koopman(fn, tp + fn, tn, fp + tn)),
    limits("dor_woolf", value$dor * exp(c(-1, 1) * z * woolf)),
    limits("mcc_atanh", on_atanh(value$mcc, error$mcc)), limits("kappa_atanh", on_atanh(value$kappa, error$kappa)),
    limits("f2_logit", on_logit(value$f2, error$f2)), limits("lift_log", on_log(value$lift, error$lift)),
    list(kappa_ase = kappa$se, kappa_ase0 = null, kappa_z = kappa$z,
         kappa_p_two_sided = 2 * pnorm(-kappa$z), nir = max(tn + fp, tp + fn) / sum(cells),
         p_acc_gt_nir = binom.test(tn + tp, sum(cells), (tn + fp) / sum(cells), alternative = "greater")$p.value,
         mcnemar_bias_p_cc = mcnemar.test(matrix(cells, 2))$p.value,
         bca_accel_mcc = accelerated(binary$mcc, cells), bca_accel_f1 = accelerated(binary$f1, cells)))
}

# Three classes: counts by rows, which are actual.
three <- c(44, 6, 3, 5, 30, 7, 2, 9, 61)
as_table <- function(c) matrix(c, 3, byrow = TRUE)
several <- list(
  rk_mcc = function(c) {
    m <- as_table(c); s <- sum(m)
    (sum(diag(m)) * s - sum(rowSums(m) * colSums(m))) / sqrt((s^2 - sum(colSums(m)^2)) * (s^2 - sum(rowSums(m)^2)))
  },
  macro_f1 = function(c) { m <- as_table(c); mean(2 * diag(m) / (rowSums(m) + colSums(m))) },
  weighted_f1 = function(c) { m <- as_table(c); sum(rowSums(m) / sum(m) * 2 * diag(m) / (rowSums(m) + colSums(m))) },
  macro_precision = function(c) { m <- as_table(c); mean(diag(m) / colSums(m)) },
  macro_recall = function(c) { m <- as_table(c); mean(diag(m) / rowSums(m)) },
  gmean = function(c) { m <- as_table(c); prod(diag(m) / rowSums(m))^(1 / 3) })
three_values <- function() {
  value <- lapply(several, function(f) f(three))
  error <- lapply(several, function(f) delta_error(f, three))
  m <- as_table(three)
  apart <- abs(row(m) - col(m)) / 2
  kappas <- list(kappa = diag(3), kappa_linear = 1 - apart, kappa_quadratic = 1 - apart^2)
  kappas <- unlist(lapply(names(kappas), function(name) {
    found <- kappa_by_formula(m, kappas[[name]])
    setNames(list(found$value, found$se, found$value / found$z, found$z), paste0(name, c("", "_ase", "_ase0", "_z")))
  }), recursive = FALSE)
  names(error) <- paste0(names(error), "_se")
  c(kappas, value[c("rk_mcc", "macro_f1", "weighted_f1", "macro_precision", "gmean")], error,
    list(macro_recall_bacc = value$macro_recall, micro_f1_accuracy = sum(diag(m)) / sum(m),
         macro_f1_of_averages = 2 / (1 / value$macro_precision + 1 / value$macro_recall)),
    limits("bacc_mover", share_mover(diag(m), rowSums(m), rep(1 / 3, 3))),
    limits("rk_atanh", on_atanh(value$rk_mcc, error$rk_mcc_se)),
    limits("macro_f1_logit", on_logit(value$macro_f1, error$macro_f1_se)),
    list(bca_accel_rk = accelerated(several$rk_mcc, three), bca_accel_macro_f1 = accelerated(several$macro_f1, three)))
}

weighted_values <- function() {
  rows <- matrix(c(1, 1, 2, 1, 0, .5, 0, 0, 1, 0, 1, 1.5, 1, 1, 1, 0, 0, 3, 1, 1, .25, 0, 0, .75, 1, 0, 1.25, 0, 1, .4), ncol = 3,
                 byrow = TRUE)
  cell <- 1 + 2 * rows[, 1] + rows[, 2]
  w <- rows[, 3]
  sums <- vapply(1:4, function(i) sum(w[cell == i]), 0)
  found <- lapply(c("accuracy", "f1", "mcc"), function(name) {
    parts <- w * slopes(binary[[name]], sums)[cell]
    setNames(list(binary[[name]](sums), sqrt(sum(parts^2)), acceleration(parts)), paste0(name, c("", "_se", "_bca_a")))
  })
  c(unlist(found, recursive = FALSE), list(kish_n_eff = sum(w)^2 / sum(w^2)))
}

# Every table of ten rows with its chance: the bootstrap with infinitely many replicates.
ideal_bootstrap <- function() {
  grid <- expand.grid(tn = 0:10, fp = 0:10, fn = 0:10)
  grid <- grid[rowSums(grid) <= 10, ]
  grid$tp <- 10 - rowSums(grid)
  chance <- apply(grid, 1, dmultinom, prob = c(0.4, 0.1, 0.1, 0.4))
  f1 <- 2 * grid$tp / (2 * grid$tp + grid$fp + grid$fn)
  known <- is.finite(f1)
  p <- chance[known] / sum(chance[known])
  f <- f1[known]
  less <- sum(p[f < 0.8 - 1e-12])
  equal <- sum(p[abs(f - 0.8) < 1e-12])
  middle <- sum(p * f)
  ordered <- order(f)
  reached <- cumsum(p[ordered])
  list(f1 = 0.8, boot_mean = middle, boot_sd = sqrt(sum(p * (f - middle)^2)), p_less = less, p_equal = equal,
       z0_midrank = qnorm(less + equal / 2), q025_lower_inverse_cdf = f[ordered][which(reached >= 0.025)[1]],
       q975 = f[ordered][which(reached >= 0.975)[1]], p_undefined = sum(chance[!known]))
}

y15 <- c(1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0)
s15 <- c(.95, .9, .8, .8, .7, .6, .6, .55, .5, .45, .4, .3, .3, .2, .1)
t15 <- c(.9, .6, .85, .7, .4, .65, .75, .35, .5, .3, .45, .2, .55, .25, .15)
curve_of <- function(y, score) roc(y, score, levels = c(0, 1), direction = "<", quiet = TRUE)

# Newcombe (2006), method 5: the area a at which the distance from the estimate is z standard errors under a.
newcombe_5 <- function(area, m, n) {
  size <- (m + n) / 2 - 1
  variance <- function(a) a * (1 - a) * (1 + size * (1 - a) / (2 - a) + size * a / (1 + a)) / (m * n)
  distance <- function(a) (area - a)^2 - z^2 * variance(a)
  c(solve_for(distance, 0, area - 1e-12), if (area == 1) 1 else solve_for(distance, area + 1e-12, 1 - 1e-12))
}

auc_values <- function() {
  curve <- curve_of(y15, s15)
  area <- as.numeric(auc(curve))
  variance <- var(curve, method = "delong")
  first <- area / (2 - area)
  second <- 2 * area^2 / (1 + area)
  partial <- function(low, high, correct) {
    as.numeric(suppressWarnings(auc(curve, partial.auc = 1 - c(low, high), partial.auc.correct = correct)))
  }
  c(list(auc = area, n_pos = 7, n_neg = 8, delong_var = variance, delong_se = sqrt(variance)),
    limits("plain", clip(area + c(-1, 1) * z * sqrt(variance))), limits("logit", on_logit(area, sqrt(variance))),
    list(hanley_mcneil_se = sqrt((area * (1 - area) + 6 * (first - area^2) + 7 * (second - area^2)) / 56)),
    limits("newcombe5", newcombe_5(area, 7, 8)),
    list(mann_whitney_u = unname(suppressWarnings(wilcox.test(s15[y15 == 1], s15[y15 == 0])$statistic)),
         pauc_0_0.2 = partial(0, 0.2, FALSE), pauc_0_0.2_mcclish = partial(0, 0.2, TRUE),
         pauc_0.1_0.4 = partial(0.1, 0.4, FALSE), pauc_0.1_0.4_mcclish = partial(0.1, 0.4, TRUE)))
}

weighted_ap <- function(w, y, score) {
  cutoffs <- sort(unique(score), decreasing = TRUE)
  found <- 0
  before <- 0
  for (at in cutoffs) {
    hits <- sum((w * y)[score >= at])
    found <- found + (hits - before) * hits / sum(w[score >= at])
    before <- hits
  }
  found / sum(w * y)
}
weighted_auc <- function(w, y, score) {
  wins <- outer(score[y == 1], score[y == 0], function(a, b) (a > b) + (a == b) / 2)
  sum(outer(w[y == 1], w[y == 0]) * wins) / (sum(w[y == 1]) * sum(w[y == 0]))
}

ap_values <- function() {
  areas <- pr_areas(s15, y15 == 1)
  value <- areas$average_precision
  error <- sqrt(sum(slopes(function(w) weighted_ap(w, y15, s15), rep(1, 15))^2))
  # Ties are of two rows, 3 and 4, 6 and 7, 12 and 13: eight orders.
  orders <- as.matrix(expand.grid(0:1, 0:1, 0:1))
  tied <- mean(apply(orders, 1, function(turned) {
    order <- 1:15
    for (i in 1:3) if (turned[i]) order[c(3, 6, 12)[i] + 0:1] <- c(3, 6, 12)[i] + 1:0
    pr_areas(15:1, y15[order] == 1)$average_precision
  }))
  c(list(ap_step = value, pr_trapezoid = areas$trapezoid, pr_davis_goadrich = areas$davis_goadrich,
         ap_tie_expected = tied, ap_ij_se = error),
    limits("ap_ij_logit", on_logit(value, error)), limits("ap_logit_binomial", on_logit(value, sqrt(value * (1 - value) / 7))))
}

delong_values <- function() {
  one <- curve_of(y15, s15)
  two <- curve_of(y15, t15)
  other <- curve_of(c(1, 0, 1, 0, 1, 0, 0, 1, 1, 0), c(.7, .6, .9, .3, .4, .45, .2, .8, .35, .1))
  paired <- roc.test(one, two, method = "delong", paired = TRUE)
  variances <- c(var(one), var(two), var(other))
  together <- cov(one, two)
  difference <- as.numeric(auc(one) - auc(two))
  error <- sqrt(variances[1] + variances[2] - 2 * together)
  apart <- suppressWarnings(roc.test(one, other, method = "delong", paired = FALSE))
  list(O13 = c(list(auc1 = as.numeric(auc(one)), auc2 = as.numeric(auc(two)), var1 = variances[1], var2 = variances[2],
                    cov = together, diff = difference, se_diff = error, z = unname(paired$statistic), p = paired$p.value),
               limits("ci", difference + c(-1, 1) * z * error)),
       O14 = list(diff = as.numeric(auc(one) - auc(other)), z = unname(apart$statistic),
                  p_normal = 2 * pnorm(-abs(unname(apart$statistic))), df_welch = unname(apart$parameter), p_t = apart$p.value))
}

separation <- function(m, n) c(
  limits("newcombe5", newcombe_5(1, m, n)),
  list(exact_disjoint_pairs_lo_two_sided = 0.025^(1 / min(m, n)), exact_one_sided_95_lo = 0.05^(1 / min(m, n))))

cross_entropy <- function(p, q) -sum(ifelse(p == 0, 0, p * log(q)))
multiclass_values <- function() {
  y <- c(0, 1, 2, 0, 1, 2, 0, 2)
  p <- matrix(c(.7, .2, .1, .2, .5, .3, .1, .3, .6, .4, .4, .2, .3, .3, .4, .2, .2, .6, .5, .3, .2, .45, .2, .35), 8, byrow = TRUE)
  area <- function(label, score) weighted_auc(rep(1, length(label)), as.numeric(label), score)
  rest <- vapply(0:2, function(k) area(y == k, p[, k + 1]), 0)
  pairs <- combn(0:2, 2)
  one_on_one <- apply(pairs, 2, function(pair) {
    kept <- y %in% pair
    mean(vapply(pair, function(k) area(y[kept] == k, p[kept, k + 1]), 0))
  })
  hot <- outer(y, 0:2, "==") * 1
  top <- apply(p, 1, max)
  list(hand_till_m = mean(one_on_one), ovr_macro = mean(rest), ovr_weighted = sum(rest * colMeans(hot)),
       ovr_micro = area(as.vector(hot), as.vector(p)), ovr_class0 = rest[1], ovr_class1 = rest[2], ovr_class2 = rest[3],
       log_loss = -mean(log(p[cbind(1:8, y + 1)])), brier_multiclass_sum = mean(rowSums((p - hot)^2)),
       top_label_confidence_ece_w5 = width_ece(top, (max.col(p, "first") - 1 == y) * 1, 5),
       classwise_ece_w5 = mean(vapply(1:3, function(k) width_ece(p[, k], hot[, k], 5), 0)))
}

width_bins <- function(p, bins) pmax(ceiling(round(p * bins, 12)), 1)
gaps <- function(p, y, group) {
  n <- tapply(p, group, length)
  list(share = n / length(p), gap = abs(tapply(y, group, mean) - tapply(p, group, mean)))
}
width_ece <- function(p, y, bins) { found <- gaps(p, y, width_bins(p, bins)); sum(found$share * found$gap) }
pooled <- function(y, p) {  # the isotonic fit; rows of one probability are one group
  groups <- sort(unique(p))
  n <- vapply(groups, function(at) sum(p == at), 0)
  mean <- vapply(groups, function(at) mean(y[p == at]), 0)
  block <- as.list(seq_along(groups))
  value <- mean
  weight <- n
  i <- 1
  while (i < length(value)) {
    if (value[i] > value[i + 1] + 1e-15) {
      value[i] <- (value[i] * weight[i] + value[i + 1] * weight[i + 1]) / (weight[i] + weight[i + 1])
      weight[i] <- weight[i] + weight[i + 1]
      block[[i]] <- c(block[[i]], block[[i + 1]])
      value <- value[-(i + 1)]; weight <- weight[-(i + 1)]; block <- block[-(i + 1)]
      i <- max(i - 1, 1)
    } else i <- i + 1
  }
  fit <- numeric(length(groups))
  for (b in seq_along(block)) fit[block[[b]]] <- value[b]
  fit[match(p, groups)]
}

probability_values <- function() {
  y <- c(0, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1)
  p <- c(.05, .12, .2, .2, .33, .4, .47, .58, .6, .71, .8, .86, .93, .97)
  n <- 14
  rate <- mean(y)
  losses <- -(y * log(p) + (1 - y) * log(1 - p))
  squares <- (y - p)^2
  by <- function(group) {
    at <- tapply(p, group, mean)[as.character(group)]
    seen <- tapply(y, group, mean)[as.character(group)]
    list(rel = mean((at - seen)^2), res = mean((seen - rate)^2), at = at, seen = seen)
  }
  unique <- by(p)
  group <- width_bins(p, 5)
  binned <- by(group)
  fit <- pooled(y, p)
  log_of <- function(q) mean(ifelse(y == 1, -log(q), -log(1 - q)))
  wide <- gaps(p, y, group)
  left <- gaps(p, y, pmin(floor(round(p * 5, 12)), 4))
  mass <- rep(1:5, c(3, 3, 3, 3, 2))  # the rows are sorted, and the tied ones have the positive first
  heavy <- gaps(p, y, mass)
  counts <- tapply(y, mass, length)
  seen <- tapply(y, mass, mean)
  debiased <- sum(counts / n * (heavy$gap^2 - seen * (1 - seen) / (counts - 1)))
  logit <- qlogis(p)
  control <- glm.control(epsilon = 1e-15, maxit = 100)
  line <- glm(y ~ logit, family = binomial, control = control)
  shift <- glm(y ~ offset(logit), family = binomial, control = control)
  # vcov() has the weights of the last step but one, which shows in the eighth digit.
  weights <- fitted(line) * (1 - fitted(line))
  errors <- sqrt(diag(solve(crossprod(cbind(1, logit) * sqrt(weights)))))
  ratio <- 2 * (as.numeric(logLik(line)) - sum(-losses))
  spiegelhalter <- sum((y - p) * (1 - 2 * p)) / sqrt(sum((1 - 2 * p)^2 * p * (1 - p)))
  expected <- tapply(p, mass, sum)
  observed <- tapply(y, mass, sum)
  hl <- sum((observed - expected)^2 / (expected * (1 - expected / counts)))
  list(log_loss = mean(losses), log_loss_se = sd(losses) / sqrt(n), brier = mean(squares), brier_se = sd(squares) / sqrt(n),
       murphy_rel_unique = unique$rel, murphy_res_unique = unique$res, murphy_unc = rate * (1 - rate),
       binned_rel = binned$rel, binned_res = binned$res, binned_wbv = mean((p - binned$at)^2),
       binned_wbc = 2 * mean((y - binned$seen) * (p - binned$at)),
       corp_brier_mcb = mean(squares) - mean((y - fit)^2), corp_brier_dsc = rate * (1 - rate) - mean((y - fit)^2),
       corp_brier_unc = rate * (1 - rate), corp_log_mcb = mean(losses) - log_of(fit),
       corp_log_dsc = log_of(rep(rate, n)) - log_of(fit), corp_log_unc = log_of(rep(rate, n)),
       ece_width5 = sum(wide$share * wide$gap), ece_width5_left_closed = sum(left$share * left$gap), mce_width5 = max(wide$gap),
       ece_mass5 = sum(heavy$share * heavy$gap), rms_ce_width5 = sqrt(sum(wide$share * wide$gap^2)),
       ece2_debiased_mass5 = debiased, ici_isotonic = mean(abs(fit - p)),
       cox_intercept = unname(coef(line)[1]), cox_slope = unname(coef(line)[2]),
       cox_intercept_se = unname(errors[1]), cox_slope_se = unname(errors[2]), citl = unname(coef(shift)),
       citl_se = 1 / sqrt(sum(fitted(shift) * (1 - fitted(shift)))), cox_lr_chi2_2df = ratio, cox_lr_p = pchisq(ratio, 2, lower.tail = FALSE),
       oe_ratio = sum(y) / sum(p), spiegelhalter_z = spiegelhalter, spiegelhalter_p = 2 * pnorm(-abs(spiegelhalter)),
       hl_mass_chi2 = hl, hl_p_df_g_minus_2 = pchisq(hl, 3, lower.tail = FALSE), hl_p_df_g = pchisq(hl, 5, lower.tail = FALSE))
}

bca_percentile <- function(alpha, z0, a) { at <- z0 + qnorm(alpha); pnorm(z0 + at / (1 - a * at)) }

weighted_area_values <- function() {
  w <- c(1, 2, 1, 1, .5, 1, 1, 2, 1, 1, 3, 1, 1, .25, 1)
  area <- function(w) weighted_auc(w, y15, s15)
  list(auc = area(w), ij_se = sqrt(sum((w * slopes(area, w))^2)), average_precision = weighted_ap(w, y15, s15))
}

concordance_values <- function() {
  y <- c(3, 1.5, 4.2, 2.2, 5.1, 3.3, 2.8, 6, 3)
  p <- c(2.6, 1.9, 4, 2.9, 4.6, 3.3, 3.3, 5.2, 4.1)
  pairs <- combn(9, 2)
  sides <- sign(y[pairs[1, ]] - y[pairs[2, ]]) * sign(p[pairs[1, ]] - p[pairs[2, ]])
  kept <- y[pairs[1, ]] != y[pairs[2, ]]
  counts <- c(sum(sides[kept] > 0), sum(sides[kept] < 0), sum(sides[kept] == 0))
  list(concordant = counts[1], discordant = counts[2], tied_prediction = counts[3],
       c_index = (counts[1] + counts[3] / 2) / sum(counts), somers_d = (counts[1] - counts[2]) / sum(counts))
}

cluster_values <- function() {
  group <- c("a", "a", "a", "b", "b", "c", "c", "d", "d", "d", "e", "e")
  correct <- c(1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1)
  off <- tapply(correct - mean(correct), group, sum)
  naive <- sqrt(mean(correct) * (1 - mean(correct)) / 12)
  plain <- sqrt(sum(off^2)) / 12
  list(accuracy = mean(correct), naive_se = naive, cluster_se_cr0 = plain, cluster_se_g_over_gm1 = plain * sqrt(5 / 4),
       design_effect_cr0 = plain^2 / naive^2)
}

joint_values <- function() {
  joint <- c(50, 4, 6, 10, 8, 3, 9, 40)  # actual, first model, second model: the last turns fastest
  of_first <- function(c) c(c[1] + c[2], c[3] + c[4], c[5] + c[6], c[7] + c[8])
  of_second <- function(c) c(c[1] + c[3], c[2] + c[4], c[5] + c[7], c[6] + c[8])
  unlist(lapply(c("accuracy", "f1", "mcc", "kappa", "balanced_accuracy"), function(name) {
    difference <- function(c) binary[[name]](of_first(c)) - binary[[name]](of_second(c))
    setNames(list(difference(joint), delta_error(difference, joint)), paste0(c("diff_", "se_diff_"), name))
  }), recursive = FALSE)
}

crps_values <- function() {
  at <- (1.3 - 1) / 0.7
  members <- c(.2, .9, 1.1, 1.6, 2.4)
  spread <- sum(abs(outer(members, members, "-")))
  list(crps_normal = 0.7 * (at * (2 * pnorm(at) - 1) + 2 * dnorm(at) - 1 / sqrt(pi)),
       crps_ensemble = mean(abs(members - 1.3)) - spread / (2 * 25),
       crps_ensemble_fair = mean(abs(members - 1.3)) - spread / (2 * 20))
}

regression_values <- function() {
  y <- c(3, 1.5, 4.2, 2.2, 5.1, 3.3, 2.8, 6)
  p <- c(2.6, 1.9, 4, 2.9, 4.6, 3.3, 3.5, 5.2)
  train <- c(2, 2.5, 2.2, 3, 3.1, 2.7)
  e <- p - y
  n <- 8
  pinball <- function(a) mean(pmax(a * (y - p), (a - 1) * (y - p)))
  huber <- function(d) mean(ifelse(abs(e) <= d, e^2 / 2, d * (abs(e) - d / 2)))
  tweedie <- function(k) switch(as.character(k), "1" = 2 * mean(y * log(y / p) - y + p), "2" = 2 * mean(log(p / y) + y / p - 1),
    2 * mean(y^(2 - k) / ((1 - k) * (2 - k)) - y * p^(1 - k) / (1 - k) + p^(2 - k) / (2 - k)))
  centred <- function(w, x) x - sum(w * x) / sum(w)
  r2 <- function(w) 1 - sum(w * e^2) / sum(w * centred(w, y)^2)
  ev <- function(w) 1 - sum(w * centred(w, e)^2) / sum(w * centred(w, y)^2)
  ccc <- function(w) {
    2 * sum(w * centred(w, y) * centred(w, p)) /
      (sum(w * centred(w, y)^2) + sum(w * centred(w, p)^2) + sum(w) * (sum(w * e) / sum(w))^2)
  }
  one <- rep(1, n)
  influence <- function(f) sqrt(sum(slopes(f, one)^2))
  mae <- mean(abs(e))
  mse <- mean(e^2)
  deviations <- sort(abs(e))
  # Lin (1989), on the scale of atanh.
  shift <- mean(e)^2 / sqrt(mean((y - mean(y))^2) * mean((p - mean(p))^2))
  c3 <- ccc(one)
  r <- cor(y, p)
  lin <- sqrt(((1 - r^2) * c3^2 / ((1 - c3^2) * r^2) + 2 * c3^3 * (1 - c3) * shift / (r * (1 - c3^2)^2) -
                 c3^4 * shift^2 / (2 * r^2 * (1 - c3^2)^2)) / (n - 2))
  list(me = mean(e), mae = mae, mse = mse, rmse = sqrt(mse), medae = median(abs(e)), maxe = max(abs(e)), r2 = r2(one), ev = ev(one),
       mape = mean(abs(e / y)), mpe = mean(e / y), smape200 = 100 * mean(2 * abs(e) / (abs(y) + abs(p))),
       smape100 = 100 * mean(abs(e) / (abs(y) + abs(p))), msle = mean((log1p(p) - log1p(y))^2),
       rmsle = sqrt(mean((log1p(p) - log1p(y))^2)), ccc = ccc(one), pearson = cor(y, p), wape = sum(abs(e)) / sum(abs(y)),
       adj_r2_p2 = 1 - (1 - r2(one)) * (n - 1) / (n - 3), pinball_0.1 = pinball(0.1), pinball_0.5 = pinball(0.5),
       pinball_0.9 = pinball(0.9), huber_0.5 = huber(0.5), huber_1.35 = huber(1.35), logcosh = mean(log(cosh(e))),
       tweedie_1 = tweedie(1), tweedie_1.5 = tweedie(1.5), tweedie_2 = tweedie(2), tweedie_3 = tweedie(3),
       d2_pinball_0.5 = 1 - mae / mean(abs(y - median(y))), mase = mae / mean(abs(diff(train))),
       if_se_rmse = influence(function(w) sqrt(sum(w * e^2) / sum(w))), if_se_r2 = influence(r2), if_se_ev = influence(ev),
       if_se_ccc = influence(ccc), lin_ccc_se = (1 - c3^2) * lin, lin_ccc_lo = tanh(atanh(c3) - z * lin),
       lin_ccc_hi = tanh(atanh(c3) + z * lin), mae_se = sd(abs(e)) / sqrt(n),
       mae_t_lo = mae - qt(0.975, 7) * sd(abs(e)) / sqrt(n), mae_t_hi = mae + qt(0.975, 7) * sd(abs(e)) / sqrt(n),
       rmse_chi2_lo = sqrt(n * mse / qchisq(0.975, n)), rmse_chi2_hi = sqrt(n * mse / qchisq(0.025, n)),
       medae_ci_lo = deviations[1], medae_ci_hi = deviations[n], medae_ci_actual_coverage = 1 - 2 * pbinom(0, n, 0.5))
}

ranking_values <- function(relevance, everything, relevant, k) {
  top <- relevance[seq_len(k)]
  hits <- top > 0
  precision <- cumsum(hits) / seq_len(k)
  total <- sum(precision[hits])
  dcg <- function(gains) sum(gains[seq_len(k)] / log2(seq_len(k) + 1))
  ideal <- sort(everything, decreasing = TRUE)
  early <- function(gains) sum(gains[seq_len(k)] / pmax(1, log2(seq_len(k))))
  list(p_at_k = mean(hits), p_at_min_k_len = sum(hits) / min(k, length(relevance)), r_at_k = sum(hits) / relevant,
       hit_at_k = as.numeric(any(hits)), rr_at_k = 1 / which(hits)[1], ap_at_k_div_R = total / relevant,
       ap_at_k_div_min = total / min(k, relevant), ap_at_k_div_k = total / k, ap_at_k_div_hits = total / sum(hits),
       ndcg_linear = dcg(relevance) / dcg(ideal), ndcg_exp = dcg(2^relevance - 1) / dcg(2^ideal - 1),
       ndcg_linear_jk2002_discount = early(relevance) / early(ideal), dcg_linear = dcg(relevance), dcg_exp = dcg(2^relevance - 1))
}

tied_ranking <- function() {
  relevance <- c(3, 2, 3, 0, 1, 2)
  dcg <- function(gains) sum(gains[1:4] / log2(2:5))
  averaged <- c(3, 2.5, 2.5, 0.5, 0.5, 2)  # rows 2 and 3 tie, and rows 4 and 5
  ideal <- dcg(sort(relevance, decreasing = TRUE))
  list(ndcg_tie_averaged = dcg(averaged) / ideal, ndcg_stable_order = dcg(relevance) / ideal)
}

paired_values <- function() {
  a <- c(.52, .61, .4, .73, .35, .58, .66, .49)
  b <- c(.45, .6, .42, .65, .3, .47, .57, .52)
  d <- a - b
  test <- t.test(a, b, paired = TRUE)
  flips <- as.matrix(expand.grid(rep(list(c(-1, 1)), 8)))
  signed <- wilcox.test(round(d, 10), exact = TRUE)
  c(list(mean_a = mean(a), mean_b = mean(b), diff = mean(d), se = sd(d) / sqrt(8), t = unname(test$statistic), p_t = test$p.value),
    limits("ci", as.numeric(test$conf.int)),
    list(signflip_exact_p = mean(abs(flips %*% d) >= abs(sum(d)) - 1e-12), wilcoxon_wplus = unname(signed$statistic),
         wilcoxon_exact_p = round(signed$p.value * 2^8) / 2^8))  # a share of 256 sign patterns, without R's rounding
}

mcnemar_values <- function(both, first, second, neither) {
  n <- both + first + second + neither
  table <- matrix(c(both, second, first, neither), 2)
  plain <- mcnemar.test(table, correct = FALSE)
  corrected <- mcnemar.test(table)
  less <- min(first, second)
  exact <- min(1, 2 * pbinom(less, first + second, 0.5))
  difference <- (first - second) / n
  error <- sqrt((first + second) / n - difference^2) / sqrt(n)
  p <- c(first + 1, second + 1) / (n + 2)  # Bonett and Price (2012)
  middle <- p[1] - p[2]
  margin <- function(by) pnorm((difference + by) / error, lower.tail = FALSE)
  c(list(chi2 = unname(plain$statistic), p_asym = plain$p.value, chi2_cc = unname(corrected$statistic), p_cc = corrected$p.value,
         p_exact = exact, p_mid = exact - dbinom(less, first + second, 0.5), diff = difference),
    limits("tango", tango(first, second, n)),
    limits("bonett_price", middle + c(-1, 1) * z * sqrt((sum(p) - middle^2) / (n + 2))),
    list(wald_se = error), limits("wald", difference + c(-1, 1) * z * error),
    list(ni_z_margin0.05 = (difference + 0.05) / error, ni_p = margin(0.05),
         tost_p_margin0.05 = max(margin(0.05), pnorm((difference - 0.05) / error))))
}

cochran_values <- function() {
  x <- matrix(c(1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1), ncol = 3, byrow = TRUE)
  q <- 2 * (3 * sum(colSums(x)^2) - sum(x)^2) / (3 * sum(x) - sum(rowSums(x)^2))
  list(q = q, df = 2, p = pchisq(q, 2, lower.tail = FALSE))
}

fold_values <- function() {
  d <- c(.02, .015, -.005, .03, .01, .022, .008, -.002, .018, .012)
  error <- sqrt((1 / 10 + 100 / 900) * var(d))
  t <- mean(d) / error
  spread <- sqrt((1 / 10 + 0.1 / 0.9) * var(d))
  below <- function(x) pt((x - mean(d)) / spread, 9)
  x <- matrix(c(.02, .03, -.01, .015, .025, .01, .005, .02, .03, -.005), ncol = 2, byrow = TRUE)
  squares <- rowSums((x - rowMeans(x))^2)
  t5 <- x[1, 1] / sqrt(mean(squares))
  f <- sum(x^2) / (2 * sum(squares))
  list(O35 = c(list(mean = mean(d), se = error, t = t, p = 2 * pt(-abs(t), 9)),
               list(lo = mean(d) - qt(0.975, 9) * error, hi = mean(d) + qt(0.975, 9) * error)),
       O36 = list(p_left = below(-0.01), p_rope = below(0.01) - below(-0.01), p_right = 1 - below(0.01)),
       O37 = list(t = t5, p_t = 2 * pt(-abs(t5), 5), F = f, p_F = pf(f, 10, 5, lower.tail = FALSE)))
}

friedman_values <- function() {
  x <- matrix(c(.9, .88, .85, .75, .78, .7, .66, .66, .6, .81, .79, .8, .93, .9, .91, .58, .55, .5), ncol = 3, byrow = TRUE)
  ranks <- t(apply(-x, 1, rank))
  means <- colMeans(ranks)
  chi2 <- 12 * 6 / (3 * 4) * (sum(means^2) - 3 * 16 / 4)
  f <- 5 * chi2 / (6 * 2 - chi2)
  list(mean_ranks = means, chi2 = chi2, chi2_tie_corrected = unname(friedman.test(x)$statistic), p_chi2 = pchisq(chi2, 2, lower.tail = FALSE),
       F_iman_davenport = f, p_F = pf(f, 2, 10, lower.tail = FALSE), nemenyi_cd_005 = qtukey(0.95, 3, Inf) / sqrt(2) * sqrt(3 * 4 / 36))
}

size_values <- function() {
  b <- qnorm(0.8)
  a <- 1.414 * qnorm(0.75)
  v <- function(a) 0.0099 * exp(-a^2 / 2) * (5 * a^2 + 8 + (a^2 + 8) / 2)
  middle <- (0.8 + 0.87) / 2
  list(n_halfwidth_wald = ceiling(z^2 * 0.9 * 0.1 / 0.03^2),
       n_per_group_two_prop = (z * sqrt(2 * middle * (1 - middle)) + b * sqrt(0.8 * 0.2 + 0.87 * 0.13))^2 / 0.07^2,
       n_pairs_mcnemar = (z * sqrt(0.12) + b * sqrt(0.12 - 0.04^2))^2 / 0.04^2,
       n_pos_auc_vs_half = (z * sqrt(v(0)) + b * sqrt(v(a)))^2 / 0.25^2, obuchowski_V = v(a))
}

err632_values <- function(apparent, out, actual, predicted) {
  gamma <- sum(actual * (1 - predicted))
  limited <- min(out, gamma)
  r <- if (limited > apparent) (limited - apparent) / (gamma - apparent) else 0
  w <- 0.632 / (1 - 0.368 * r)
  list(gamma = gamma, err632 = 0.368 * apparent + 0.632 * out, R = r, w = w, err632plus = (1 - w) * apparent + w * limited)
}

nested_values <- function() {
  mse <- mean(c(.02, -.03, .01, .04, -.025)^2 - c(4, 5, 3, 6, 4) / 10000)
  naive <- 0.43 / sqrt(200)
  raw <- sqrt(max(mse, 0)) / naive * sqrt(4 / 5)
  kept <- min(max(raw, 1), sqrt(5))
  bias <- (1 + (3 / 5)^1.5) * (0.245 - 0.24)
  point <- 0.245 - bias
  list(mse_hat = mse, inflation_raw = raw, inflation_clamped = kept, bias = bias, point = point,
       lo = point - z * kept * naive, hi = point + z * kept * naive)
}

decision_values <- function() {
  cutoffs <- sort(unique(s15), decreasing = TRUE)
  tpr <- vapply(cutoffs, function(at) mean(s15[y15 == 1] >= at), 0)
  fpr <- vapply(cutoffs, function(at) mean(s15[y15 == 0] >= at), 0)
  tp <- 7 * tpr
  fp <- 8 * fpr
  f1 <- 2 * tp / (tp + fp + 7)
  cost <- (fp + 4 * (7 - tp)) / 15
  corner <- sqrt(fpr^2 + (1 - tpr)^2)
  x <- c(0, fpr)
  y <- c(0, tpr)
  hull <- rev(chull(c(x, 1), c(y, 0)))
  hull <- hull[hull <= length(x)]
  hull <- hull[order(x[hull], y[hull])]
  odds <- 0.25 / 0.75
  benefits <- ifelse(s15 >= 0.25, ifelse(y15 == 1, 1, -odds), 0)
  shift <- (7 / 8) / (0.2 / 0.8) * (0.2 / 0.8)
  cross <- which(diff(sign(x - (1 - y))) != 0)[1]
  part <- (1 - y[cross] - x[cross]) / ((x[cross + 1] - x[cross]) + (y[cross + 1] - y[cross]))
  pc <- 7 / 15 * 4 / (7 / 15 * 4 + 8 / 15)
  best <- which.max(tpr - fpr)
  list(bayes_threshold = 0.2, threshold_on_original_p_after_prevalence_shift = shift / (1 + shift),
       youden_threshold = cutoffs[best], youden_J = max(tpr - fpr),
       closest_topleft_threshold = cutoffs[which.min(corner)], closest_topleft_dist = min(corner),
       max_f1_threshold = cutoffs[which.max(f1)], max_f1 = max(f1),
       min_cost_threshold = cutoffs[which.min(round(cost, 12))], min_cost_per_row = min(cost),
       net_benefit = mean(benefits), net_benefit_se = sqrt(mean((benefits - mean(benefits))^2) / 15),
       net_benefit_treat_all = 7 / 15 - 8 / 15 * odds, standardized_net_benefit = mean(benefits) / (7 / 15),
       auc = as.numeric(auc(curve_of(y15, s15))), auch_convex_hull = sum(diff(x[hull]) * (y[hull][-1] + y[hull][-length(hull)]) / 2),
       hull_points = lapply(hull, function(i) I(c(x[i], y[i]))), eer_interpolated = x[cross] + part * (x[cross + 1] - x[cross]),
       cost_curve_pc = pc, cost_curve_nec_at_youden = (1 - tpr[best]) * pc + fpr[best] * (1 - pc))
}

look_values <- function() {
  unlist(lapply(c(1, 2, 5, 10, 50, 100), function(j) {
    setNames(list(qnorm(1 - 0.05 / (2 * j)), qnorm(1 - 0.05 / (2 * j * (j + 1))), sqrt(log(2 * j / 0.05) / 2000)),
             paste0(c("z_bonf_", "z_spend_", "hoeffding_half_"), j))
  }), recursive = FALSE)
}

ladder <- function(losses, step) {
  best <- Inf
  vapply(losses, function(loss) {
    if (loss < best - step) best <<- round(loss / step) * step
    best
  }, 0)
}

p5 <- c(.001, .04, .03, .005, .2)
delong <- delong_values()
folds <- fold_values()
write_figures("check_values",
  O1 = proportion_values(81, 263), O2 = proportion_values(0, 20), O3 = proportion_values(19, 20),
  O4 = lapply(binary, function(f) f(cells)),
  O5 = setNames(lapply(binary, function(f) delta_error(f, cells)), paste0("se_", names(binary))),
  O6 = binary_intervals(), O7 = three_values(), O8 = weighted_values(), O9 = ideal_bootstrap(), O10 = auc_values(),
  O11 = ap_values(), O13 = delong$O13, O14 = delong$O14, O15 = separation(20, 30), O16 = separation(8, 400),
  O17 = multiclass_values(), O18 = probability_values(),
  O19 = list(alpha_lo = bca_percentile(0.025, -0.0480253640496, -0.0214279299836),
             alpha_hi = bca_percentile(0.975, -0.0480253640496, -0.0214279299836)),
  O20 = weighted_area_values(), O21 = concordance_values(), O22 = cluster_values(), O23 = joint_values(), O24 = crps_values(),
  O25 = regression_values(), O28 = ranking_values(c(3, 0, 2, 0, 1, 0), c(3, 0, 2, 0, 1, 0, 3, 2), 5, 6),
  O29 = ranking_values(c(0, 1, 1, 0, 0), c(0, 1, 1, 0, 0, 1, 1), 4, 3), O30 = tied_ranking(), O31 = paired_values(),
  O32 = mcnemar_values(60, 12, 5, 23), O33 = mcnemar_values(40, 1, 7, 2), O34 = cochran_values(), O35 = folds$O35,
  O36 = folds$O36, O37 = folds$O37, O38 = list(holm = p.adjust(p5, "holm"), bh = p.adjust(p5, "BH")), O39 = friedman_values(),
  O40 = size_values(), O41 = err632_values(0.08, 0.22, c(0.6, 0.4), c(0.7, 0.3)),
  O42 = err632_values(0, 0.55, c(0.5, 0.5), c(0.5, 0.5)), O43 = nested_values(), O44 = decision_values(), O45 = look_values(),
  O46 = list(trace = ladder(c(.3, .295, .284, .283, .26, .27, .255), 0.01)))
