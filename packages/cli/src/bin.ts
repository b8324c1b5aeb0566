#!/usr/bin/env node
const { node } = process.versions
const [major = 0, minor = 0] = node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  // An older Node can't load what comes next.
  process.stderr.write(`wherry: this is Node ${node}, and Wherry needs 22.19 or later: see https://nodejs.org\n`)
  process.exit(1)
}
const { enableCompileCache } = await import('node:module')
// The compiler's nine megabytes are most of what is loaded. The cache is in the system's folder for temporary files.
enableCompileCache()
const { processHost, runCommand } = await import('./index.ts')
// The reader of a pipe may end first, as `head` does. Then there is nothing left to say.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })

process.exitCode = await runCommand(process.argv.slice(2), processHost())

export {}
