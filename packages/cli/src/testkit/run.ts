import { Readable } from 'node:stream'
import type { ExitStatus } from '../host.ts'
import { runCommand } from '../run.ts'

/** What a command did. */
export interface Ran {
  readonly status: ExitStatus
  readonly stdout: string
  readonly stderr: string
}

/** The folder of the modules that tests run the command on. */
export const testkit: string = import.meta.dirname

/** Runs a command line, split at spaces. */
export async function run(line: string, cwd: string = testkit, input: string = ''): Promise<Ran> {
  const written = { stdout: '', stderr: '' }
  const output = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text
    },
  })
  const host = { stdin: Readable.from([input]), stdout: output('stdout'), stderr: output('stderr'), cwd }
  return { status: await runCommand(line.split(' ').filter(Boolean), host), ...written }
}
