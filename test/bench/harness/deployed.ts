/** How Node is started where it is deployed: `wherry manifests` writes this option into each Deployment. Programs of peers that run on Node get it, too. */
export const deployedOptions: readonly string[] = ['--max-semi-space-size=4']
