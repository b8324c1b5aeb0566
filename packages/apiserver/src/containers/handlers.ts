import type { Duplex, Readable, Writable } from 'node:stream'

/** The container of a call. */
export interface ContainerCall {
  readonly namespace: string
  readonly pod: string
  readonly container: string
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

/** The connection of a client to the program of a container. */
export interface AttachCall extends ContainerCall {
  readonly tty: boolean
  /** The input of the client. It ends when the client ends it, or at once if the client sends nothing. */
  readonly stdin: Readable
  readonly stdout: Writable
  /** With a terminal, the client does not receive this stream. */
  readonly stderr: Writable
  /** Sets the function that is called with each size of the client's terminal. */
  onResize(fn: (size: { readonly columns: number; readonly rows: number }) => void): void
}

/** A command that a client runs in a container. */
export interface ExecCall extends AttachCall {
  readonly command: readonly string[]
}

/** The end of a command, and its output in addition to the data that was written to `stdout` and `stderr` of the call. */
export interface ExecAnswer {
  readonly stdout?: string | Uint8Array | undefined
  readonly stderr?: string | Uint8Array | undefined
  /** The exit code of the command. @default 0 */
  readonly exitCode?: number | undefined
}

/** Plays commands. If the handler throws, or has ended a stream for which its answer has more output, the client gets the error that the command could not be run. */
export type ExecHandler = (call: ExecCall) => ExecAnswer | undefined | Promise<ExecAnswer | undefined>

/** Plays a container's program. */
export type AttachHandler = (call: AttachCall) => ExecAnswer | undefined | Promise<ExecAnswer | undefined>

/** A client's request for a log. */
export interface LogCall extends ContainerCall {
  /** Whether the client wants later lines, too. */
  readonly follow: boolean
  /** Whether the client wants the log of the container's former run. */
  readonly previous: boolean
  /** The number of last lines that the client wants; `undefined` for all. */
  readonly tail: number | undefined
}

/** A line of a log. A string has the current time. */
export type LogLine = string | { readonly time: Date | string; readonly text: string }

/**
 * Plays a log. The server leaves out the lines that the client does not ask for (`tailLines`, `sinceTime`, `limitBytes`). An iterable that is not asynchronous
 * is the log of a container that has ended. A client that follows an asynchronous iterable gets each line when it comes. In that case the handler itself must
 * leave out all existing lines but the last `tail`. If the handler throws, the client gets a 500 with the message, or a broken answer if it got lines before.
 */
export type LogHandler = (call: LogCall) => Iterable<LogLine> | AsyncIterable<LogLine>

/** The connection of a client to a port of a pod. */
export interface PortForwardCall extends Omit<ContainerCall, 'container'> {
  readonly port: number
  /** The connection's bytes: it reads the client's bytes, and its writes go to the client. */
  readonly stream: Duplex
}

/**
 * Plays the program at a port of a pod. The connection lasts until the handler has ended `stream`, or the client has gone. If the handler throws, the client
 * gets the error's message.
 */
export type PortForwardHandler = (call: PortForwardCall) => void | Promise<void>

/** The handlers that play the containers of a server. */
export interface ContainerHandlers {
  exec?: ExecHandler
  attach?: AttachHandler
  log?: LogHandler
  portForward?: PortForwardHandler
}
