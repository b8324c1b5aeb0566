#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// The compiler's nine megabytes are most of what is loaded. The cache is in the system's folder for temporary files.
enableCompileCache()
const { runCommand } = await import('./run.ts')

const { stdin, stdout, stderr } = process
const ending = (): AbortSignal => {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => controller.abort())
  return controller.signal
}
process.exitCode = await runCommand(process.argv.slice(2), { stdin, stdout, stderr, cwd: process.cwd(), ending })
