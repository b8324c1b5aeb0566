#!/usr/bin/env node
import { Client } from '@wherry/client'
import { runCommand } from './cli/run.ts'
import { printable } from './cli/terminal.ts'

const stop = new AbortController()
let stoppedBy = 0
for (const [name, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  // A second signal ends the process at once, as it would without this.
  process.once(name, () => {
    stoppedBy = 128 + number
    stop.abort(new Error(`stopped by ${name}`))
  })
}
const { stdout, stderr } = process
const told = (message: string): void => void stderr.write(`storage-migrator: ${printable(message)}\n`)
const status = await runCommand(process.argv.slice(2), {
  ...{ stdout, stderr, signal: stop.signal },
  connect: () =>
    Client.connect({ environment: { onWarning: message => told(message), onError: ({ message }) => told(message) } }),
})
process.exitCode = stoppedBy === 0 ? status : stoppedBy
