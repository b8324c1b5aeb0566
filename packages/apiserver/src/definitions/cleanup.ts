/** By this finalizer a definition stays until its objects are gone. */
export const definitionCleanup = 'customresourcecleanup.apiextensions.k8s.io'
