import type { OnReadOpts } from 'node:net'

/**
 * Where a plain socket puts what it reads: a buffer that is used again for the next read, and by
 * other sockets of this thread. Node's own way makes a buffer of 64 KiB for each read, and a list
 * of 190 MB leaves more of them behind than what is parsed from it.
 *
 * On Windows a buffer is the system's until something was read: there each socket would need its
 * own, and Node's way is the better one.
 */
export class Intake {
  /** Given to `net.connect`. */
  readonly onread: OnReadOpts
  #reader: ((chunk: Buffer) => void) | undefined
  readonly #early: Buffer[] = []

  constructor(buffer: Buffer) {
    this.onread = {
      buffer,
      callback: count => {
        const chunk = buffer.subarray(0, count)
        if (this.#reader === undefined) this.#early.push(Buffer.from(chunk))
        else this.#reader(chunk)
        // What nobody reads yet is read no further.
        return this.#reader !== undefined
      },
    }
  }

  /** Lends `reader` each chunk from now on, those that came before it at once. The socket is to be resumed then. */
  lend(reader: (chunk: Buffer) => void): void {
    this.#reader = reader
    for (const chunk of this.#early.splice(0)) reader(chunk)
  }
}

/** Whether sockets of a thread may share one buffer here. */
export const sharesBuffer: boolean = process.platform !== 'win32'
