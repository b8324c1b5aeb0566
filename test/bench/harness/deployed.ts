/** How Node is started where it is deployed: `wherry manifests` writes this option into each Deployment. Programs of peers that run on Node get it, too. */
export const deployedOptions: readonly string[] = ['--max-semi-space-size=4']

/** The flag that images of new projects start Node with, which `NODE_OPTIONS` does not take: V8 compiles hot functions on the main thread, and takes less memory. */
export const compilesOnMainThread = '--no-concurrent-recompilation'
