import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as (options: object) => void

function heapUsed(): number {
  // This collects garbage until a collection frees nothing more.
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  return process.memoryUsage().heapUsed
}

/** The bytes of heap that the result of `make` holds: the median of three, since other code uses the heap too. */
export function heapOf(make: () => unknown): number {
  const measured = [0, 0, 0].map(() => {
    const before = heapUsed()
    const held = { made: make() }
    const bytes = heapUsed() - before
    held.made = undefined
    return bytes
  })
  return measured.toSorted((a, b) => a - b)[1] as number
}

let random = 1

/** Text that occurs nowhere else. */
export function letters(length: number): string {
  let text = ''
  while (text.length < length) {
    random = (random * 48271) % 2147483647
    text += random.toString(36)
  }
  return text.slice(0, length)
}
