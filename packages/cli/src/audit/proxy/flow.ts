import type { Readable } from 'node:stream'

/** A destination of chunks. `write` returns false if the caller has to wait for the drain. */
export interface Sink {
  write(chunk: Buffer): boolean
  onDrain(then: () => void): void
}

/** Passes chunks on as they come, and stops reading while a sink has no room. */
export function flow(from: Readable, ...sinks: readonly Sink[]): void {
  from.on('data', (chunk: Buffer) => {
    const full = sinks.filter(sink => !sink.write(chunk))
    if (full.length === 0) return
    from.pause()
    let waiting = full.length
    for (const sink of full)
      sink.onDrain(() => {
        waiting--
        if (waiting === 0) from.resume()
      })
  })
}
