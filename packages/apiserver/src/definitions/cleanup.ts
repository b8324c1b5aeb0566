/** The finalizer that keeps a definition until its objects are deleted. */
export const definitionCleanup = 'customresourcecleanup.apiextensions.k8s.io'
