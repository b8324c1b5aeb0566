/** How Node is started where it is deployed: `wherry manifests` writes this option into each Deployment. Programs of peers that run on Node get it, too. */
export const deployedOptions: readonly string[] = ['--max-semi-space-size=4']

/** V8 compiles hot functions on the main thread: less memory, and pauses of its own. A flag of V8, which `NODE_OPTIONS` does not take. */
export const compilesOnMainThread = '--no-concurrent-recompilation'
