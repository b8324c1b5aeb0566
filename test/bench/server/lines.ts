import type { IncomingMessage } from 'node:http'

const newline = 10

/** Gives each line of a watch's body as the part of a buffer that it is: only one that a chunk's border cuts is copied. */
export function eachLine(response: IncomingMessage, take: (bytes: Buffer, from: number, to: number) => void): void {
  let rest: Buffer | undefined
  response.on('data', (chunk: Buffer) => {
    let from = 0
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
      if (rest === undefined) take(chunk, from, at)
      else {
        const line = Buffer.concat([rest, chunk.subarray(0, at)])
        rest = undefined
        take(line, 0, line.length)
      }
      from = at + 1
    }
    if (from === chunk.length) return
    const left = chunk.subarray(from)
    rest = rest === undefined ? left : Buffer.concat([rest, left])
  })
}
