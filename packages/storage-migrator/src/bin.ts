#!/usr/bin/env node
import { Client } from '@wherry/client'
import { runCommand } from './cli/run.ts'
import { keepHeapSmall } from './cli/small-heap.ts'
import { printable } from './cli/terminal.ts'

/** Runs the command. A signal stops it; the same signal again ends the process at once. Resolves with the exit status. */
async function main(args: readonly string[]): Promise<number> {
  const { stdout, stderr } = process
  const stop = new AbortController()
  let stoppedBy: number | undefined
  const on = (name: 'SIGINT' | 'SIGTERM', number: number): void => {
    process.once(name, () => {
      stoppedBy = 128 + number
      stop.abort(new Error(`stopped by ${name}`))
    })
  }
  on('SIGINT', 2)
  on('SIGTERM', 15)
  const report = (message: string): void => void stderr.write(`storage-migrator: ${printable(message)}\n`)
  const environment = {
    onWarning: (message: string) => report(message),
    onError: ({ message }: Error) => report(message),
  }
  const connect = (): Promise<Client> => Client.connect({ environment })
  const status = await runCommand(args, { stdout, stderr, signal: stop.signal, connect })
  return stoppedBy ?? status
}

keepHeapSmall()
process.exitCode = await main(process.argv.slice(2))
