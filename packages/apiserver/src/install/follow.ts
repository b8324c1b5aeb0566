import { request as plain } from 'node:http'
import { request } from 'node:https'
import { StringDecoder } from 'node:string_decoder'
import { type Access, userAgent } from './ask.ts'

/** Splits bytes into lines. */
export class Lines {
  readonly #line: (text: string) => void
  readonly #decoder = new StringDecoder('utf8')
  #parts: string[] = []

  constructor(line: (text: string) => void) {
    this.#line = line
  }

  add(chunk: Uint8Array): void {
    const [first = '', ...rest] = this.#decoder.write(Buffer.from(chunk)).split('\n')
    this.#parts.push(first)
    for (const next of rest) {
      const text = this.#parts.join('')
      this.#parts = [next]
      if (text !== '') this.#line(text)
    }
  }
}

/** Reads the lines of an answer that does not end, on a connection of its own. */
export function follow(
  { url, ca, token }: Access,
  path: string,
  line: (text: string) => void,
  ended: () => void,
): () => void {
  const lines = new Lines(line)
  const headers = { authorization: `Bearer ${token}`, 'user-agent': userAgent }
  const send = ca === undefined ? plain : request
  let isOver = false
  const end = (): void => {
    if (!isOver) ended()
    isOver = true
  }
  const sent = send(new URL(path, url), { ca, agent: false, headers }, answer => {
    answer.on('data', (chunk: Uint8Array) => {
      if (!isOver) lines.add(chunk)
    })
    answer.on('error', end)
    answer.on('close', end)
  })
  sent.on('error', end)
  sent.end()
  return () => {
    isOver = true
    sent.destroy()
  }
}
