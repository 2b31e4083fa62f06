"""
Are the clusters real?
======================

Every clustering finds clusters, in data without any as well. ``significance``
asks whether data without clusters would split as well as these do, from all
objects down, and stops where the answer is yes.
"""

# %%
# Wines of three growers
# ----------------------
# 178 wines, 13 chemical measurements each. That there are three growers is not
# told.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from consensa import significance
from consensa.evaluate import ari

X, grower = load_wine(return_X_y=True)
X = StandardScaler().fit_transform(X)
found = significance(X, random_state=0)
print(found)

# %%
# Every line is a set of wines. A split that stands has a p-value that is small
# enough: that of the whole tree is at most 0.05, and a part is allowed as much
# of it as it has objects.

places = PCA(2).fit_transform(X)
figure, panels = plt.subplots(
    1, 2, figsize=(9, 4), layout="constrained", sharey=True
)
for panel, labels, title in (
    (panels[0], found.labels, f"{found.n_clusters} tested clusters"),
    (panels[1], grower, f"Growers, ARI {ari(found.labels, grower):.2f}"),
):
    panel.scatter(*places.T, c=labels, s=16, cmap="viridis")
    panel.set(title=title, xlabel="first principal component")
panels[0].set_ylabel("second principal component")
plt.show()

# %%
# What a p-value says here, and what not
# --------------------------------------
# It is the probability that one ellipsoid, with the covariance and the tails
# of these wines, splits as well. It does not say how probable the clusters
# are, nor that they are of use, nor that a part that is not split holds
# nothing: few objects, or clusters that overlap, need more data.

print("p for every cluster:", np.round(found.cluster_p_values, 3))
