import type { Duplex, Readable, Writable } from 'node:stream'

/** The container that a call is about. */
export interface ContainerCall {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** A client has connected to the program of a container. */
export interface AttachCall extends ContainerCall {
  readonly tty: boolean
  /** Ends when the client ends it; at once if the client sends nothing. */
  readonly stdin: Readable
  readonly stdout: Writable
  /** With a terminal, the client does not get it. */
  readonly stderr: Writable
  /** Sets the function that is called with each size of the client's terminal. */
  onResize(fn: (size: { readonly columns: number; readonly rows: number }) => void): void
}

/** A client runs a command in a container. */
export interface ExecCall extends AttachCall {
  readonly command: readonly string[]
}

/** How a command ended; what it wrote besides what went to `stdout` and `stderr` of the call. */
export interface ExecAnswer {
  readonly stdout?: string | Uint8Array | undefined
  readonly stderr?: string | Uint8Array | undefined
  /** @default 0 */
  readonly exitCode?: number | undefined
}

/** Plays commands. If it throws, the client gets an error: the command could not be run. */
export type ExecHandler = (call: ExecCall) => ExecAnswer | undefined | Promise<ExecAnswer | undefined>

/** Plays a container's program. */
export type AttachHandler = (call: AttachCall) => ExecAnswer | undefined | Promise<ExecAnswer | undefined>

/** A client reads a log. */
export interface LogCall extends ContainerCall {
  /** It wants lines that come later, too. */
  readonly follow: boolean
  /** It wants the log of the container's former run. */
  readonly previous: boolean
  /** How many of the last lines it wants; `undefined`: all. */
  readonly tail: number | undefined
}

/** A line of a log. A string is a line of now. */
export type LogLine = string | { readonly time: Date | string; readonly text: string }

/**
 * Plays a log. The server leaves out what the client does not ask for (`tailLines`, `sinceTime`, `limitBytes`). An iterable that is not asynchronous is
 * the log of a container that has ended. A client that follows an asynchronous one gets each line when it comes; of those that are there already, the
 * handler itself leaves out all but the last `tail`.
 */
export type LogHandler = (call: LogCall) => Iterable<LogLine> | AsyncIterable<LogLine>

/** A client has connected to a port of a pod. */
export interface PortForwardCall extends Omit<ContainerCall, 'container'> {
  readonly port: number
  /** The client's bytes, and what it gets. */
  readonly stream: Duplex
}

/** Plays what listens in a pod. The connection lasts until it has ended `stream`, or the client has gone. If it throws, the client gets its message. */
export type PortForwardHandler = (call: PortForwardCall) => void | Promise<void>

/** What plays the containers of a server. */
export interface ContainerHandlers {
  exec?: ExecHandler
  attach?: AttachHandler
  log?: LogHandler
  portForward?: PortForwardHandler
}
