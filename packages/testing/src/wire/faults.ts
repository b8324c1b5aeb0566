import type { WireShape } from './pipe.ts'

/** `up` is from the client to the server, `down` from the server to the client. */
export type WireDirection = 'up' | 'down' | 'both'

/** The position at which a connection is cut. */
export interface WireCut {
  /** Bytes that still pass, counted from now. @default 0 */
  readonly afterBytes?: number | undefined
  /** The direction in which bytes are counted. @default 'down' */
  readonly direction?: 'up' | 'down' | undefined
}

/** Faults below TLS. On a {@link Wire} they affect all connections, and on a {@link WireConnection} only that connection. */
export interface WireFaults {
  /**
   * Nothing passes and nothing closes, as when a router forgets a connection: each side believes that the other is
   * connected. Bytes that are sent meanwhile wait. On a whole wire, new connections are frozen too.
   *
   * @param direction default `both`
   */
  freeze(direction?: WireDirection): void
  /** Ends a freeze: waiting bytes pass, and the ends of connections that clients closed meanwhile become visible. */
  thaw(): void
  /** Closes (FIN) in both directions once `afterBytes` more bytes have passed, even in the middle of a message. */
  cut(cut?: WireCut): void
  /** Sends a TCP reset to both sides, at once. */
  reset(): void
  /** Slows the connection down. Options that are left out go back to their defaults. @param direction default `both` */
  shape(shape: Partial<WireShape>, direction?: WireDirection): void
}

/** One connection through a wire. */
export interface WireConnection extends WireFaults {
  /** The number of the connection, from 1, in the order in which connections were accepted. */
  readonly id: number
  /** False once both sockets of the connection are closed. */
  readonly open: boolean
  /** The number of bytes that were written to the server. */
  readonly bytesUp: number
  /** The number of bytes that were written to the client. */
  readonly bytesDown: number
}

/** Completes a shape by the defaults of missing options. Throws a {@link WireOptionError}. */
export function wholeShape({ delayMs = 0, bytesPerSecond = Number.POSITIVE_INFINITY }: Partial<WireShape>): WireShape {
  if (!(delayMs >= 0 && delayMs < Number.POSITIVE_INFINITY)) throw new WireOptionError('delayMs', 'takes 0 or more')
  if (!(bytesPerSecond > 0)) throw new WireOptionError('bytesPerSecond', 'takes more than 0')
  return { delayMs, bytesPerSecond }
}

/** Throws a {@link WireOptionError}. */
export function checkCut({ afterBytes = 0, direction = 'down' }: WireCut): void {
  if (!(Number.isSafeInteger(afterBytes) && afterBytes >= 0)) throw new WireOptionError('afterBytes', 'takes 0 or more')
  if (!['up', 'down'].includes(direction)) throw new WireOptionError('direction', "takes 'up' or 'down'")
}

/** An option of a wire has an invalid value. */
export class WireOptionError extends RangeError {
  readonly code: 'ERR_WHERRY_OPTION' = 'ERR_WHERRY_OPTION'
  readonly option: string

  constructor(option: string, takes: string) {
    super(`startWire: option ${option} ${takes}`)
    this.name = 'WireOptionError'
    this.option = option
  }
}
