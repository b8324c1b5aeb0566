/** What is published has no fields of this workspace's tools. */
export const hooks = {
  beforePacking(manifest) {
    const { wherry: _, ...published } = manifest
    return published
  },
}
