import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { Server, Socket } from 'node:net'

/**
 * What a test can leave behind, each with a line that says where it was made: sockets (client and
 * server side), listening servers, child processes, timers (unref'd ones too, which
 * `process.getActiveResourcesInfo()` does not show), and rejections that nobody handled.
 *
 * Node's own means show only part of these, so the few functions that all of them go through are
 * wrapped: `net.Socket#connect`, `net.Server#listen`, the global timers, and the diagnostics
 * channels of accepted sockets and child processes. Vitest takes its timers before set-up files
 * run, so its own are not seen.
 */
export interface LeakDetector {
  /** All that is open now, by identity, and what it is. What a timer opened in its turn has the identity of that timer. */
  open(): Map<object, () => string>
  /** Takes the unhandled rejections since the last call. */
  rejections(): unknown[]
  /** Calls `start`. The child processes that it starts may live until this process ends: they do not count as open. */
  lasting<T>(start: () => T): T
}

interface Opened {
  readonly what: () => string
  readonly isOpen: () => boolean
  /** The timer that led to its opening, whatever came between; itself, if there is none. */
  readonly root: object
}

/**
 * The timer that code runs in the turn of. What a client of the whole file does each 30 s, it does for the test that made the client, also in
 * the midst of another: it sets its next timer, and opens a connection again.
 */
const turnOf = new AsyncLocalStorage<object>()

/** Set while a function runs that starts processes which may last. */
const inLasting = new AsyncLocalStorage<true>()

const ownFrames = /tools[\\/]vitest[\\/]leaks|node:internal|node:diagnostics_channel|\(node:|at node:/

/** The first line of the stack that is neither ours nor Node's. Written out late, for resources that stay open: it is slow, and most things close. */
function origin({ stack = '' }: Error): string {
  const lines = stack.split('\n').slice(1)
  return lines.find(line => !ownFrames.test(line) && line.includes('at '))?.trim() ?? 'at an unknown place'
}

/** Starts to watch. Once a process: everything that opens from now on is seen. */
export function detectLeaks(): LeakDetector {
  const opened = new Map<object, Opened>()
  const rejections: unknown[] = []

  const track = (thing: object, what: () => string, isOpen: () => boolean): void => {
    const made = new Error()
    opened.set(thing, { what: () => `${what()}, made ${origin(made)}`, isOpen, root: turnOf.getStore() ?? thing })
  }
  watchSockets(track)
  watchTimers(opened, track)
  process.on('unhandledRejection', reason => rejections.push(reason))

  return {
    open: () => {
      for (const [thing, { isOpen }] of opened) if (!isOpen()) opened.delete(thing)
      return new Map([...opened].map(([, { what, root }]) => [root, what]))
    },
    rejections: () => rejections.splice(0),
    lasting: start => inLasting.run(true, start),
  }
}

type Track = (thing: object, what: () => string, isOpen: () => boolean) => void

function watchSockets(track: Track): void {
  const socket = (one: Socket, side: string): void => {
    const where = (): string => (one.remotePort ? ` to port ${one.remotePort}` : '')
    let closed = false
    one.once('close', () => {
      closed = true
    })
    track(
      one,
      () => `${side} socket${where()}`,
      () => !closed,
    )
  }
  const { connect } = Socket.prototype
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    socket(this, 'a client')
    return Reflect.apply(connect, this, args)
  } as typeof connect
  subscribe('net.server.socket', message => socket((message as { socket: Socket }).socket, "a server's"))

  const { listen } = Server.prototype
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    track(
      this,
      () => `a listening server (${JSON.stringify(this.address())})`,
      () => this.listening,
    )
    return Reflect.apply(listen, this, args)
  } as typeof listen

  subscribe('child_process', message => {
    if (inLasting.getStore()) return
    const child = (message as { process: ChildProcess }).process
    track(
      child,
      () => `a child process (${child.spawnargs?.join(' ') ?? 'being started'})`,
      () => child.pid !== undefined && child.exitCode === null && child.signalCode === null,
    )
  })
}

type Timeout = ReturnType<typeof setTimeout>

/** Wraps the global timers, keeping their own properties (`util.promisify.custom`). */
function watchTimers(opened: Map<object, Opened>, track: Track): void {
  const wrap = (name: 'setTimeout' | 'setInterval'): void => {
    const original = globalThis[name]
    const wrapped = (fn: (...args: unknown[]) => void, ms?: number, ...args: unknown[]): Timeout => {
      let open = true
      const root = turnOf.getStore()
      const fired = (...given: unknown[]): void => {
        if (name === 'setTimeout') {
          open = false
          opened.delete(timer)
        }
        turnOf.run(root ?? timer, () => fn(...given))
      }
      const timer = original(fired, ms, ...args)
      track(
        timer,
        () => `a timer of ${ms ?? 0} ms (${name})`,
        () => open && !(timer as Timeout & { _destroyed?: boolean })._destroyed,
      )
      return timer
    }
    globalThis[name] = Object.defineProperties(wrapped, Object.getOwnPropertyDescriptors(original)) as never
  }
  wrap('setTimeout')
  wrap('setInterval')
}
