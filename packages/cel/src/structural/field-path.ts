import type { Schema } from './schema.ts'

const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y

/** A path such as `.a.b` or `.a['b.c']`, in the form of causes; `undefined` if the schema has no such field. */
export function fieldPath(path: string, schema: Schema): string | undefined {
  let node: Schema | undefined = schema
  let name = ''
  step.lastIndex = 0
  while (step.lastIndex < path.length) {
    const match: RegExpExecArray | null = step.exec(path)
    if (match === null || node === undefined) return undefined
    const key = match[1] ?? (match[2] as string).replace(/\\(.)/g, '$1')
    const { additional }: Schema = node
    if (node.properties.size > 0) {
      node = node.properties.get(key)
      if (node === undefined) return undefined
      name += name === '' ? key : `.${key}`
    } else if (typeof additional === 'object') {
      node = additional
      name += `[${key}]`
    } else return undefined
  }
  return name
}

/** Whether a schema has the field of a path. */
export function isFieldPath(path: string, schema: Schema): boolean {
  return fieldPath(path, schema) !== undefined
}
