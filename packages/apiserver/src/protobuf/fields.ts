import { messages } from '../generated/protobuf-messages.ts'

/** A field of a message, in the notation of the generated messages. */
export interface Field {
  readonly number: number
  readonly name: string
  /** The container of the value: a list `[]`, a map `{}`, or none. `*`: a single value that may be absent. */
  readonly around: '' | '*' | '[]' | '{}'
  readonly type: string
  /** Whether the JSON keeps an empty value of the field. */
  readonly isKept: boolean
}

const known = new Map<string, ReadonlyMap<number, Field>>()

/** The fields of a message by their numbers, in ascending order. */
export function fieldsByNumber(message: string): ReadonlyMap<number, Field> {
  const found = known.get(message)
  if (found !== undefined) return found
  const fields: Field[] = []
  for (const [, number, name = '', around = '', type = '', kept] of (messages[message] ?? '').matchAll(
    /(\d+)([^= ]*)=(\[\]|\{\}|\*|)([^! ]+)(!?)/g,
  )) {
    fields.push({ number: Number(number), name, around: around as Field['around'], type, isKept: kept === '!' })
  }
  const byNumber = new Map(fields.sort((a, b) => a.number - b.number).map(field => [field.number, field]))
  known.set(message, byNumber)
  return byNumber
}

/** Whether a message is a list with a name of its own: it has a single field, and its JSON is the list. */
export function isListMessage(message: string): boolean {
  const only = fieldsByNumber(message).get(1)
  return only !== undefined && only.name === '' && only.around === '[]'
}
