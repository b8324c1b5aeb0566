import type { Clock } from '../clock.ts'
import type { Handler, Peer } from '../exchange.ts'
import { chance, integer } from '../random.ts'
import type { Connection, Transport } from '../transport.ts'
import type { Chunking } from './memory-chunks.ts'
import { MemoryConnection, type MemoryConnectionOptions } from './memory-connection.ts'
import { transportError } from './memory-errors.ts'
import { checkMemoryFaults, checkMemoryOptions } from './memory-options.ts'

/** The probabilities with which a connection breaks, each from 0 (the default) to 1. */
export interface MemoryFaults {
  /** For each request: the connection is reset after up to 4,000 more bytes of responses, in the middle of a line or not. */
  readonly kill?: number | undefined
  /** For each request: the connection gets a GOAWAY. */
  readonly goaway?: number | undefined
  /** For each request: the connection is dead from then on, and neither end notices. */
  readonly freeze?: number | undefined
  /** For each connect: it is refused. */
  readonly refuse?: number | undefined
}

/** Options of `memoryTransport`. */
export interface MemoryTransportOptions {
  /** Answers the requests. */
  readonly handler: Handler
  /** The clock for the delays of the network. */
  readonly clock: Clock
  /** The random numbers of latencies, chunk borders and faults. They need a stream of their own, such as `simulation.random.fork('network')`. */
  readonly random: () => number
  /**
   * The protocol of the connections. With `http/1.1`, a connection carries a single request at a time.
   *
   * @default 'h2'
   */
  readonly protocol?: 'h2' | 'http/1.1' | undefined
  /**
   * The maximum number of concurrent requests on a connection of HTTP/2. Any further request is reset with PROTOCOL_ERROR, as by kube-apiserver.
   *
   * @default 100
   */
  readonly maxStreams?: number | undefined
  /**
   * The maximum number of bytes of a response that are under way, or held for a client that has paused.
   *
   * @default 65_536
   */
  readonly windowBytes?: number | undefined
  /**
   * The time that bytes are under way in one direction, in milliseconds: a number, or the least and the greatest.
   *
   * @default [0.125, 2]
   */
  readonly latencyMs?: number | readonly [least: number, most: number] | undefined
  /** How a response is cut into pieces. @default 'random' */
  readonly chunking?: Chunking | undefined
  /**
   * The maximum length of a request body, in bytes. A longer body is answered with 413.
   *
   * @default 3_145_728
   */
  readonly maxBodyBytes?: number | undefined
  /** The subject of the connections' client certificate. */
  readonly certificate?: Peer['certificate']
  /** The faults of the connections. @default none */
  readonly faults?: MemoryFaults | undefined
  /** Receives a line for each frame and ending, such as the `trace` of a simulation. */
  readonly trace?: { add(line: string): void } | undefined
}

/** The methods by which a test breaks the connections of a {@link MemoryTransport}. */
export interface MemoryControls {
  /** The connections that are open at one end at least, the oldest first. */
  connections(): readonly Connection[]
  /** The number of connections since the start. */
  made(): number
  /** Breaks a connection at once, as by a TCP reset. A random first part of the bytes under way arrives. */
  kill(connection: Connection): void
  /** Breaks the connection as soon as the client has received `bytes` more bytes of responses, not one byte later. */
  killAfter(connection: Connection, bytes: number): void
  /** Stops all bytes in both directions, without either end noticing: a half-open connection. */
  freeze(connection: Connection): void
  /** Ends a freeze: the bytes that were sent meanwhile arrive. */
  thaw(connection: Connection): void
  /** Sends a GOAWAY on every connection, so that the connection accepts no more requests. New connections are not affected. */
  goawayAll(): void
  /** While on, connects are refused. */
  refuse(on: boolean): void
  /** While on, connects neither succeed nor fail until their signal aborts. Connects that hang keep hanging when it is switched off. */
  hang(on: boolean): void
  /** Replaces the random faults. `{}` ends them. */
  setFaults(faults: MemoryFaults): void
  /** Requests under way, a line each, for `simulation.describe`. */
  pending(): string[]
}

/** A {@link Transport} to a handler in this process, without sockets. */
export interface MemoryTransport extends Transport {
  readonly controls: MemoryControls
  /** Breaks every connection, like a killed server, and refuses new ones. */
  close(): void
}

/**
 * Connects a client to `handler` in memory as HTTP/2 or HTTP/1.1 connections do, with latencies, chunk borders without meaning, flow control, stream limits and
 * every way in which a connection ends. All times are from `clock` and all random numbers from `random`, so that a run can be repeated.
 *
 * The streams of a connection share one order, as over TCP. Connections overtake each other.
 *
 * Throws a `TypeError` or `RangeError` for unknown options and wrong values.
 */
export function memoryTransport(options: MemoryTransportOptions): MemoryTransport {
  checkMemoryOptions(options)
  const { handler, clock, random, protocol = 'h2', trace } = options
  const open = new Set<MemoryConnection>()
  let faults: MemoryFaults = options.faults ?? {}
  let refusing = false
  let hanging = false
  let closed = false
  let count = 0
  const latencyMs = latencies(options.latencyMs ?? [0.125, 2], random)
  const connectionOptions: MemoryConnectionOptions = {
    handler,
    clock,
    random,
    protocol,
    certificate: options.certificate,
    maxStreams: protocol === 'h2' ? (options.maxStreams ?? 100) : 1,
    windowBytes: options.windowBytes ?? 65_536,
    maxBodyBytes: options.maxBodyBytes ?? 3_145_728,
    latencyMs,
    chunking: options.chunking ?? 'random',
    trace: trace && (line => trace.add(line)),
    onRequest: connection => strike(connection, faults, random),
    onGone: connection => open.delete(connection),
  }
  const connect = (target: URL): MemoryConnection => {
    if (closed || refusing || chance(random, faults.refuse ?? 0)) {
      throw transportError(`connect ECONNREFUSED ${target.host}`, { code: 'ECONNREFUSED' })
    }
    const connection = new MemoryConnection(++count, target, connectionOptions)
    open.add(connection)
    trace?.add(`${connection.id} connected`)
    return connection
  }
  const find = (connection: Connection): MemoryConnection => {
    if (connection instanceof MemoryConnection) return connection
    throw new TypeError('not a connection of a memory transport')
  }
  return {
    connect(target, signal) {
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const onAbort = (): void => {
          timer?.cancel()
          reject(signal.reason)
        }
        const onAnswer = (): void => {
          signal.removeEventListener('abort', onAbort)
          try {
            resolve(connect(target))
          } catch (error) {
            reject(error)
          }
        }
        const timer = hanging ? undefined : clock.timer(latencyMs() + latencyMs(), onAnswer)
        signal.addEventListener('abort', onAbort, { once: true })
      })
    },
    controls: {
      connections: () => [...open],
      made: () => count,
      kill: connection => find(connection).kill(),
      killAfter: (connection, bytes) => find(connection).killAfter(bytes),
      freeze: connection => find(connection).freeze(),
      thaw: connection => find(connection).thaw(),
      goawayAll() {
        for (const connection of [...open]) connection.goaway()
      },
      refuse(on) {
        refusing = on
      },
      hang(on) {
        hanging = on
      },
      setFaults(next) {
        checkMemoryFaults(next)
        faults = next
      },
      pending: () => [...open].flatMap(connection => connection.pending()),
    },
    close() {
      closed = true
      for (const connection of [...open]) connection.kill()
    },
  }
}

function strike(connection: MemoryConnection, faults: MemoryFaults, random: () => number): void {
  if (faults.kill !== undefined && chance(random, faults.kill)) connection.killAfter(integer(random, 0, 4000))
  if (faults.goaway !== undefined && chance(random, faults.goaway)) connection.goaway()
  if (faults.freeze !== undefined && chance(random, faults.freeze)) connection.freeze()
}

/** Multiples of an eighth of a millisecond: exact in binary, and short in a trace. */
function latencies(given: number | readonly [number, number], random: () => number): () => number {
  if (typeof given === 'number') return () => given
  const [least, most] = given
  return () => integer(random, Math.ceil(least * 8), Math.floor(most * 8)) / 8
}
