source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
# Resampling: what caret's splitters promise, ten folds with two kinds of model, and the bootstrap of ipred and caret.
suppressMessages({library(caret); library(rpart); library(MASS); library(ipred)})

credit <- read.csv(file.path(rows_folder, "credit.csv"), stringsAsFactors = TRUE)
default <- credit$default
counted <- function(y) as.list(table(y))

splits <- function() {
  set.seed(123)
  train <- createDataPartition(default, p = 0.75, list = FALSE)[, 1]
  set.seed(123)
  folds <- createFolds(default, k = 10)
  set.seed(123)
  repeated <- createMultiFolds(default, k = 10, times = 3)
  set.seed(123)
  drawn <- createResample(default, times = 10)
  list(createDataPartition_p0.75 = list(train = counted(default[train]), test = counted(default[-train])),
       createFolds_k10 = list(fold_sizes = unname(lengths(folds)),
                              yes_per_fold = unname(vapply(folds, function(rows) sum(default[rows] == "yes"), 0))),
       createMultiFolds_k10_times3 = list(
         n_elements = length(repeated), train_sizes = unname(lengths(repeated)),
         yes_in_train = unname(vapply(repeated, function(rows) sum(default[rows] == "yes"), 0)),
         each_row_in_train_count = I(unique(as.vector(table(unlist(repeated)))))),
       createResample_times10 = list(sizes = unname(lengths(drawn)),
                                     n_unique = unname(vapply(drawn, function(rows) length(unique(rows)), 0L))))
}

small <- factor(rep(c("a", "b", "c"), c(23, 14, 4)))
set.seed(123)
small_folds <- createFolds(small, k = 5)
per_fold <- t(vapply(small_folds, function(rows) as.numeric(table(small[rows])), numeric(3)))
colnames(per_fold) <- levels(small)
set.seed(123)
small_train <- createDataPartition(small, p = 0.6, list = FALSE)[, 1]
numbers <- (seq_len(101) * 37) %% 101
bins <- cut(numbers, quantile(numbers, seq(0, 1, 0.25)), include.lowest = TRUE)
set.seed(123)
numbers_train <- createDataPartition(numbers, p = 0.75, list = FALSE)[, 1]
write_figures("resampling_caret", versions = versions("caret"),
  splits = splits(),
  small_classes = list(
    y_counts = counted(small), createFolds_k5_class_counts_per_fold = per_fold,
    createDataPartition_p0.6_train_counts = counted(small[small_train]),
    # rsample rounds the share of each stratum down, where caret rounds it up.
    floor_of_share_0.6 = lapply(counted(small), function(count) floor(0.6 * count)),
    numeric_y = list(n = 101, bin_sizes = as.vector(table(bins)), train_per_bin = as.vector(table(bins[numbers_train])))))

# Kappa of two classes and the z of its test, whose error is that at kappa 0 (Fleiss, Cohen and Everitt 1969).
kappa_and_z <- function(actual, predicted) {
  p <- table(factor(actual, 0:1), factor(predicted, 0:1)) / length(actual)
  rows <- rowSums(p)
  cols <- colSums(p)
  expected <- sum(rows * cols)
  value <- (sum(diag(p)) - expected) / (1 - expected)
  null <- sqrt(expected + expected^2 - sum(rows * cols * (rows + cols))) / ((1 - expected) * sqrt(length(actual)))
  c(value = value, z = value / null)
}

ten_folds <- function(fit_and_predict) {
  set.seed(123)
  folds <- lapply(createFolds(default, k = 10), function(test) {
    actual <- as.integer(default[test] == "yes")
    predicted <- as.integer(fit_and_predict(credit[-test, ], credit[test, ]) == "yes")
    list(test_index = test, actual_yes = actual, pred_yes = predicted, figures = kappa_and_z(actual, predicted))
  })
  kappas <- unname(vapply(folds, function(fold) fold$figures[["value"]], 0))
  accuracies <- unname(vapply(folds, function(fold) mean(fold$actual_yes == fold$pred_yes), 0))
  list(kappas = kappas, mean_kappa = mean(kappas), sd_kappa = sd(kappas),
       accuracies = accuracies, mean_accuracy = mean(accuracies), sd_accuracy = sd(accuracies),
       folds = unname(lapply(folds, function(fold) c(fold[1:3], list(z = fold$figures[["z"]])))))
}
by_tree <- function(train, test) predict(rpart(default ~ ., train), test, type = "class")
by_line <- function(train, test) predict(lda(default ~ ., train), test)$class
rejection <- list(rpart_seed123 = ten_folds(by_tree), lda_seed123 = ten_folds(by_line))
suppressWarnings(RNGkind(sample.kind = "Rounding"))
rounding <- ten_folds(by_tree)
RNGkind(sample.kind = "Rejection")
write_figures("cv_credit", versions = versions("caret", "rpart", "MASS"),
  rpart_seed123 = rejection$rpart_seed123, rpart_seed123_rounding = rounding, lda_seed123 = rejection$lda_seed123)

# Two small models, by the nearest row and by the nearest mean of a class.
nearest <- function(formula, data, ...) structure(list(data = data), class = "nearest")
predict.nearest <- function(object, newdata, ...) {
  known <- object$data
  found <- vapply(seq_len(nrow(newdata)), function(i) {
    which.min((known$x1 - newdata$x1[i])^2 + (known$x2 - newdata$x2[i])^2)
  }, 0L)
  known$y[found]
}
centroid <- function(formula, data, ...) {
  structure(list(middle = aggregate(cbind(x1, x2) ~ y, data, mean), levels = levels(data$y)), class = "centroid")
}
predict.centroid <- function(object, newdata, ...) {
  distances <- outer(newdata$x1, object$middle$x1, "-")^2 + outer(newdata$x2, object$middle$x2, "-")^2
  factor(as.character(object$middle$y)[max.col(-distances, ties.method = "first")], levels = object$levels)
}

ipred_figures <- function(data, fit, seed) {
  set.seed(seed)
  drawn <- lapply(seq_len(25), function(i) sort(sample(nrow(data), replace = TRUE)))
  estimate <- function(estimator) {
    errorest(y ~ x1 + x2, data, model = fit, estimator = estimator, est.para = control.errorest(list.tindx = drawn))
  }
  boot <- estimate("boot")
  plus <- estimate("632plus")
  predictions <- lapply(drawn, function(rows) as.character(predict(fit(y ~ x1 + x2, data[rows, ]), data)))
  full <- as.character(predict(fit(y ~ x1 + x2, data), data))
  apparent <- mean(full != data$y)
  gamma <- sum(table(data$y) / nrow(data) * (1 - table(factor(full, levels(data$y))) / nrow(data)))
  overfit <- (boot$error - apparent) / (gamma - apparent)
  capped <- min(max(overfit, 0), 1)
  limited <- min(boot$error, gamma)
  out <- vapply(seq_len(25), function(i) mean((predictions[[i]] != data$y)[-unique(drawn[[i]])]), 0)
  plain <- 0.368 * apparent + 0.632 * boot$error
  list(inputs = list(y = as.character(data$y), inbag_index_1based = drawn, pred_all_rows_per_replicate = predictions,
                     pred_full_model = full),
       outputs = list(
         ipred_boot_error_leave_one_out = boot$error, ipred_632plus = plus$error, resubstitution = apparent,
         err632 = plain, gamma_no_information = gamma, relative_overfit_used_by_ipred = overfit,
         mean_of_replicate_oob_errors = mean(out),
         # Efron and Tibshirani (1997), equations 29 to 32.
         formula_err632plus_capped_R_efron_tibshirani_1997 =
           plain + (limited - apparent) * 0.368 * 0.632 * capped / (1 - 0.368 * capped)))
}

set.seed(2024)
points <- data.frame(x1 = round(runif(36), 3), x2 = round(runif(36), 3))
signal <- cbind(points, y = factor(ifelse(points$x1 + points$x2 + round(rnorm(36, sd = 0.25), 3) > 1, "b", "a")))
noise <- cbind(points, y = factor(rep(c("b", "a", "a", "b", "b", "a"), 6)))

caret_train <- function(method) {
  set.seed(123)
  found <- train(default ~ ., credit, method = "rpart", tuneGrid = data.frame(cp = 0.01),
                 trControl = trainControl(method = method, number = 10))
  as.list(found$results)
}
write_figures("bootstrap_632plus", versions = versions("ipred", "rpart", "caret"),
  cases = list(knn1_signal = ipred_figures(signal, nearest, 1), centroid_signal = ipred_figures(signal, centroid, 1),
               knn1_noise = ipred_figures(noise, nearest, 2), centroid_noise = ipred_figures(noise, centroid, 3)),
  caret_train_rpart_cp0.01_seed123_number10 = list(boot = caret_train("boot"), boot632 = caret_train("boot632")))
