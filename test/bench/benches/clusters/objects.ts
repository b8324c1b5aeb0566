/** How many ConfigMaps each cluster has. */
export const objectsOfCluster = 5
