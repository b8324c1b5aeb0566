import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A process of ours failed, or did not answer in time. The message holds what it wrote to stderr. */
export class ChildError extends Error {
  readonly code = 'CHILD_FAILED'
  readonly stderr: string

  constructor(what: string, stderr: string) {
    super(stderr.trim() === '' ? what : `${what}\n${stderr.trim()}`)
    this.name = 'ChildError'
    this.stderr = stderr
  }
}

/** A process that is sent messages and answers each with one. */
export interface Child {
  /** Sends and waits for the next answer. One at a time. Rejects with {@link ChildError} when the process ends first, or past `timeoutMs`. */
  ask(message: object, timeoutMs: number): Promise<unknown>
  /** Kills it, and resolves when it is gone. Idempotent. */
  close(): Promise<void>
}

/** Starts `module` in a Node of its own, with the collector exposed and NODE_ENV=production. */
export function startChild(module: URL, what: string, execArgv: readonly string[] = []): Child {
  const child: ChildProcess = fork(module, {
    execArgv: ['--expose-gc', ...execArgv],
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-8192)
  })
  let ended: string | undefined
  const closed = once(child, 'close').then(([code, signal]) => {
    ended = signal ? `ended by ${signal}` : `ended with code ${code}`
  })
  return {
    ask(message, timeoutMs) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          settle(() => reject(new ChildError(`${what} did not answer within ${timeoutMs} ms`, stderr)))
          child.kill('SIGKILL')
        }, timeoutMs)
        const onMessage = (answer: unknown): void => settle(() => resolve(answer))
        const settle = (how: () => void): void => {
          clearTimeout(timer)
          child.off('message', onMessage)
          how()
        }
        child.once('message', onMessage)
        closed.then(() => settle(() => reject(new ChildError(`${what} ${ended}`, stderr))))
        if (ended === undefined)
          child.send(
            message,
            error => error && settle(() => reject(new ChildError(`${what}: ${error.message}`, stderr))),
          )
      })
    },
    async close() {
      child.kill('SIGKILL')
      await closed
    },
  }
}
