source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
# Scores: curves, areas, tests and power by pROC, every measure of ROCR, and areas under precision and recall.
suppressMessages({library(pROC); library(ROCR)})

spam <- read.csv(file.path(rows_folder, "spam.csv"))
spam$second <- sqrt(spam$prob_spam) * 0.7 + 0.3 * (seq_len(nrow(spam)) %% 97) / 97
curve_of <- function(score) roc(spam$actual_type, score, levels = c("ham", "spam"), direction = "<", quiet = TRUE)

area_figures <- function(curve) {
  limits <- lapply(c("0.9" = 0.9, "0.95" = 0.95, "0.99" = 0.99), function(level) {
    as.list(setNames(as.numeric(ci.auc(curve, conf.level = level, method = "delong")), c("lower", "auc", "upper")))
  })
  list(auc = as.numeric(auc(curve)), var_delong = var(curve, method = "delong"), ci_auc_delong = limits,
       n_controls = length(curve$controls), n_cases = length(curve$cases))
}

partial_figures <- function(curve) {
  settings <- expand.grid(correct = c(FALSE, TRUE), range = 1:3, focus = c("specificity", "sensitivity"),
                          stringsAsFactors = FALSE)
  ranges <- list(c(1, 0.9), c(1, 0.8), c(0.95, 0.6))
  lapply(seq_len(nrow(settings)), function(i) {
    range <- ranges[[settings$range[i]]]
    value <- suppressWarnings(auc(curve, partial.auc = range, partial.auc.focus = settings$focus[i],
                                  partial.auc.correct = settings$correct[i]))
    list(partial.auc = range, focus = settings$focus[i], correct = settings$correct[i], value = as.numeric(value))
  })
}

point_figures <- function(curve) {
  at <- function(...) coords(curve, ..., ret = "all", transpose = FALSE)
  weights <- c(5, 0.13)
  list(best_youden = at("best", best.method = "youden"),
       best_closest.topleft = at("best", best.method = "closest.topleft"),
       best_youden_weights_cost5_prev0.13 = at("best", best.method = "youden", best.weights = weights),
       best_topleft_weights_cost5_prev0.13 = at("best", best.method = "closest.topleft", best.weights = weights),
       at_threshold_0.5 = at(0.5, input = "threshold"),
       at_specificity_0.95 = at(0.95, input = "specificity"),
       at_sensitivity_0.9 = at(0.9, input = "sensitivity"))
}

comparison_figures <- function(first, second) {
  test <- function(...) test_fields(roc.test(first, second, method = "delong", ...))
  list(delong_paired = test(paired = TRUE),
       delong_paired_less = test(paired = TRUE, alternative = "less"),
       delong_paired_greater = test(paired = TRUE, alternative = "greater"),
       delong_unpaired = suppressWarnings(test(paired = FALSE)),
       cov_delong = cov(first, second, method = "delong"))
}

unpaired_figures <- function(first, second) {
  list(delong_unpaired = suppressWarnings(test_fields(roc.test(first, second, method = "delong", paired = FALSE))),
       cov_delong = cov(first, second, method = "delong"))
}

power_figures <- function(...) {
  found <- suppressWarnings(power.roc.test(...))
  call <- paste(deparse(sys.call(), width.cutoff = 500), collapse = "")
  c(list(call = sub("power_figures", "power.roc.test", gsub('"', "'", call))),
    unclass(found)[intersect(c("ncases", "ncontrols", "auc", "auc1", "auc2", "sig.level", "power"), names(found))])
}

first <- curve_of(spam$prob_spam)
second <- curve_of(spam$second)
other <- curve_of(spam$prob_other)
knn <- curve_of(spam$share_knn)
tied <- roc(toy$y, toy$score, levels = c(0, 1), direction = "<", quiet = TRUE)
tied_2 <- roc(toy$y, toy$score_2, levels = c(0, 1), direction = "<", quiet = TRUE)
write_figures("sms_proc", versions = versions("pROC"),
  inputs = list(score2_sum = sum(spam$second)),
  prob_spam = c(area_figures(first), list(partial = partial_figures(first)), point_figures(first)),
  score2 = area_figures(second), nb_ed2to4 = area_figures(other), knn_ed3to4 = area_figures(knn),
  tests = list(prob_spam_vs_score2 = comparison_figures(first, second),
               nb_ed2to4_vs_knn = unpaired_figures(other, knn), ed1_vs_ed2to4 = unpaired_figures(first, other)),
  toy = c(as.list(toy), area_figures(tied), list(partial = partial_figures(tied)), point_figures(tied),
          list(sensitivities = tied$sensitivities, specificities = tied$specificities,
               score_2_result = area_figures(tied_2), tests = comparison_figures(tied, tied_2))),
  power_roc_test = list(
    power_figures(ncases = 41, ncontrols = 72, auc = 0.73, sig.level = 0.05),
    power_figures(ncases = 41, ncontrols = 72, auc = 0.73, sig.level = 0.01),
    power_figures(auc = 0.73, sig.level = 0.05, power = 0.95, kappa = 1.7),
    power_figures(auc = 0.6, sig.level = 0.05, power = 0.8),
    power_figures(ncases = 30, ncontrols = 30, auc = 0.8, sig.level = 0.05, alternative = "one.sided"),
    power_figures(ncases = 41, ncontrols = 72, sig.level = 0.05, power = 0.95),
    power_figures(ncases = 41, ncontrols = 72, auc = 0.73, power = 0.95, sig.level = NULL),
    power_figures(tied, sig.level = 0.05),
    power_figures(tied, tied_2, sig.level = 0.05),
    power_figures(tied, tied_2, sig.level = 0.05, power = 0.9),
    power_figures(other, knn, sig.level = 0.05, power = 0.9),
    power_figures(first, second, sig.level = 0.05, power = 0.8),
    power_figures(auc = 0.73, sig.level = 0.05, power = 0.95, kappa = 1.7, method = "obuchowski"),
    power_figures(tied, tied_2, sig.level = 0.05, power = 0.9, method = "obuchowski")))

# A measure of ROCR over all cutoffs: summaries of what is finite, and for few rows the whole curve.
measure_figures <- function(predicted, measure, ..., whole = FALSE) {
  found <- suppressWarnings(performance(predicted, measure, ...))
  base <- list(measure = measure)
  if (...length()) base$args <- list(...)
  y <- unname(found@y.values[[1]])
  if (length(y) == 1) return(c(base, list(value = y)))
  x <- found@x.values[[1]]
  kept <- is.finite(y)
  fx <- x[kept]
  fy <- y[kept]
  result <- c(base, list(
    n = length(y), n_finite = sum(kept), n_nan = sum(is.nan(y)), n_inf = sum(is.infinite(y)),
    first_finite = fy[1], first_finite_x = fx[1], last_finite = fy[length(fy)], last_finite_x = fx[length(fx)],
    max_finite = max(fy), x_at_max_first = fx[which.max(fy)], min_finite = min(fy), x_at_min_first = fx[which.min(fy)],
    sum_finite = sum(fy)))
  if (found@x.name == "Cutoff" && measure != "cal") {
    at <- max(which(x >= 0.5))
    result$at_cutoff_0.5 <- list(cutoff_used = x[at], value = y[at])
  }
  if (whole) result <- c(result, list(x = I(x), y = I(y)))
  result
}

rocr_figures <- function(predicted, windows, whole) {
  names <- c("acc", "err", "fpr", "fall", "tpr", "rec", "sens", "fnr", "miss", "tnr", "spec", "ppv", "prec", "npv",
             "pcfall", "pcmiss", "rpp", "rnp", "phi", "mat", "mi", "chisq", "odds", "lift", "f", "sar", "cost", "auc",
             "aucpr", "prbe", "mxe", "rmse", "rch", "ecost")
  found <- function(...) measure_figures(predicted, ..., whole = whole)
  c(sapply(names, found, simplify = FALSE), list(
    cal = do.call(found, c(list("cal"), windows[[1]])), cal_window50 = do.call(found, c(list("cal"), windows[[2]])),
    f_alpha0.2 = found("f", alpha = 0.2), f_alpha0.8 = found("f", alpha = 0.8),
    auc_fpr.stop0.1 = found("auc", fpr.stop = 0.1), auc_fpr.stop0.01 = found("auc", fpr.stop = 0.01),
    cost_fp1_fn5 = found("cost", cost.fp = 1, cost.fn = 5), cost_fp5_fn1 = found("cost", cost.fp = 5, cost.fn = 1)))
}

of_spam <- prediction(spam$prob_spam, as.integer(spam$actual_type == "spam"))
write_figures("sms_rocr", versions = versions("ROCR"),
  measures = rocr_figures(of_spam, list(list(), list(window.size = 50)), whole = FALSE))
of_toy <- prediction(toy$score, toy$y)
counts <- list(cutoff = of_toy@cutoffs[[1]], tp = of_toy@tp[[1]], fp = of_toy@fp[[1]], tn = of_toy@tn[[1]],
               fn = of_toy@fn[[1]], n.pos.pred = of_toy@n.pos.pred[[1]], n.neg.pred = of_toy@n.neg.pred[[1]])
write_figures("toy_rocr_full_curves", versions = versions("ROCR"),
  inputs = list(y = toy$y, score = toy$score), counts_per_cutoff = counts,
  measures = rocr_figures(of_toy, list(list(window.size = 8), list(window.size = 8)), whole = TRUE))

write_figures("precision_recall_areas", versions = versions(),
  prob_spam = pr_areas(spam$prob_spam, spam$actual_type == "spam"), toy = pr_areas(toy$score, toy$y == 1))
