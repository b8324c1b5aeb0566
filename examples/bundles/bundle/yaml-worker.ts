import { parentPort } from 'node:worker_threads'
import { CORE_SCHEMA, loadAll } from 'js-yaml'

/** etcd takes no larger object, and an alias that stands for other aliases, and so on, would grow without end. */
const maxObjectBytes = 3 << 19
const maxDepth = 200

parentPort?.on('message', (text: string) => parentPort?.postMessage(answerTo(text)))

function answerTo(text: string): { readonly documents: string } | { readonly error: string } {
  try {
    // `json`: of two keys of one name the last one counts, as in JSON.
    const documents = loadAll(text, undefined, { schema: CORE_SCHEMA, json: true })
    for (const one of documents) grown(one, maxObjectBytes, 0)
    return { documents: JSON.stringify(documents) }
  } catch (error) {
    return { error: `${(error as Error).message.split('\n')[0]}` }
  }
}

/** The rest of so many bytes, if the value is written as JSON. @throws RangeError as soon as nothing is left */
function grown(value: unknown, bytes: number, depth: number): number {
  if (depth > maxDepth) throw new RangeError(`an object is more than ${maxDepth} levels deep`)
  let left = bytes - (typeof value === 'string' ? value.length + 2 : 2)
  if (Array.isArray(value)) {
    for (const one of value) left = grown(one, left, depth + 1)
  } else if (typeof value === 'object' && value !== null) {
    for (const key in value) left = grown(value[key as never], left - key.length - 2, depth + 1)
  }
  if (left < 0) throw new RangeError(`an object has more than ${maxObjectBytes} bytes, with what its aliases stand for`)
  return left
}
