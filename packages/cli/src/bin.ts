#!/usr/bin/env node
const { node } = process.versions
const [major = 0, minor = 0] = node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  // An older Node can't load the modules that are imported below.
  process.stderr.write(`wherry: this is Node ${node}, and Wherry needs 22.19 or later: see https://nodejs.org\n`)
  process.exit(1)
}
const { enableCompileCache } = await import('node:module')
// Most of the loaded code is the TypeScript compiler, with nine megabytes. The cache is in the system's folder for temporary files.
enableCompileCache()
const { processHost, runCommand } = await import('./index.ts')

process.exitCode = await runCommand(process.argv.slice(2), processHost())

export {}
