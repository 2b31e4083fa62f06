# One run of ConsensusClusterPlus: Rscript studies/rivals/consensus_cluster_plus.R features.csv n_clusters seed labels.csv
arguments <- commandArgs(trailingOnly = TRUE)
suppressMessages(library(ConsensusClusterPlus))
X <- as.matrix(read.csv(arguments[1], header = FALSE))
n_clusters <- as.integer(arguments[2])
status <- function(field) {
  line <- grep(paste0("^", field), readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}
before <- status("VmRSS")
start <- proc.time()
pdf(NULL)
found <- ConsensusClusterPlus(t(X), maxK = n_clusters, reps = 50, pItem = 0.8, clusterAlg = "km",
  distance = "euclidean", seed = as.integer(arguments[3]), plot = NULL, verbose = FALSE)
taken <- proc.time() - start
peak <- status("VmHWM")
labels <- found[[n_clusters]]$consensusClass
write.table(labels, arguments[4], row.names = FALSE, col.names = FALSE)
cat(sprintf('{"method": "km", "status": "ok", "cpu_seconds": %f, "new_mib": %f, "version": "%s"}\n', taken[1] + taken[2],
  peak - before, packageVersion("ConsensusClusterPlus")))
