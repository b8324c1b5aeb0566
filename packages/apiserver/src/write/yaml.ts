import { type Json, mapJson, parseJson } from '@wherry/cel/internal'
import { type Document, parseAllDocuments, parseDocument, type Tags } from 'yaml'
import { maxLevels, tooDeepAt } from './depth.ts'

/** Thrown if a text is no YAML. */
export class YamlError extends Error {}

/** Thrown if a text has too many levels. */
export class TooDeepError extends YamlError {}

const tooDeep = (): TooDeepError => new TooDeepError(`yaml: exceeded max depth of ${maxLevels}`)

/** Whether the stack was too small for the levels of a text. */
const isOverflow = (message: string): boolean => message.startsWith('Maximum call stack')

/** A text read as YAML, and the findings for duplicate keys. The last value of a duplicate key counts. */
export interface Yaml {
  readonly value: Json
  readonly duplicates: readonly string[]
}

const options: NonNullable<Parameters<typeof parseDocument>[1]> = {
  version: '1.1',
  customTags: plainTags,
  intAsBigInt: true,
  merge: true,
  prettyErrors: true,
  logLevel: 'silent',
}

/** Reads YAML 1.1, which includes JSON. Throws a {@link YamlError}. */
export function readYaml(text: string): Yaml {
  if (text.startsWith('{') && tooDeepAt(text) !== undefined) throw tooDeep()
  const value = text.startsWith('{') ? compactJson(text) : undefined
  if (value !== undefined) return { value, duplicates: [] }
  return text.trim() === '' ? { value: null, duplicates: [] } : yamlOf(parseDocument(text, options), text)
}

/**
 * The value of a JSON text in the form of `JSON.stringify`, because reading it as YAML would take fifty times as long. `undefined` for any other text, such as
 * a text with spaces, a duplicate key, or a number in another form. Such a text is read as YAML.
 */
function compactJson(text: string): Json | undefined {
  try {
    const value = parseJson(text)
    return JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

/** Reads each document of a YAML text. Throws a {@link YamlError}. */
export function readYamlDocuments(text: string): readonly Yaml[] {
  const documents = parseAllDocuments(text, options)
  return Array.isArray(documents) ? documents.map(document => yamlOf(document, text)) : []
}

function yamlOf(document: Document, text: string): Yaml {
  const duplicates: string[] = []
  for (const { code, message, linePos, pos } of document.errors) {
    const line = linePos?.[0].line ?? 1
    if (isOverflow(message)) throw tooDeep()
    if (code !== 'DUPLICATE_KEY') throw new YamlError(`yaml: line ${line}: ${message.split('\n')[0]}`)
    const key = /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^:,{}\n]+)/.exec(text.slice(pos[0]))?.[0] ?? ''
    duplicates.push(`line ${line}: key ${JSON.stringify(key.replace(/^(["'])(.*)\1$/s, '$2'))} already set in map`)
  }
  try {
    return { value: asJson(document.toJS()), duplicates }
  } catch (error) {
    if (error instanceof YamlError) throw error
    // An anchor contains itself, or there are too many aliases or levels.
    if (isOverflow((error as Error).message)) throw tooDeep()
    throw new YamlError(`yaml: ${(error as Error).message}`)
  }
}

/** The error for duplicate keys, as one text. */
export function yamlError(duplicates: readonly string[]): string {
  return ['yaml: unmarshal errors:', ...duplicates.map(one => `  ${one}`)].join('\n')
}

/** Removes the tags of types that Kubernetes' YAML reads as texts: times, numbers to the base of sixty, bytes. A number beyond a float is a text, too. */
function plainTags(tags: Tags): Tags {
  const kept = tags.filter(
    tag =>
      typeof tag === 'string' ||
      !(('format' in tag && tag.format === 'TIME') || /:(?:timestamp|binary)$/.test(tag.tag)),
  )
  return kept.map(tag => {
    if (typeof tag === 'string' || !('format' in tag) || tag.format !== 'EXP') return tag
    const read = (text: string): number | string => {
      const number = Number.parseFloat(text.replaceAll('_', ''))
      return Number.isFinite(number) ? number : text
    }
    return { ...tag, resolve: read } as typeof tag
  })
}

/** Converts the library's result to JSON. Integers that a number can't represent keep all digits. */
function asJson(value: unknown): Json {
  return mapJson(
    value as Json,
    key => key,
    leaf => {
      if (typeof leaf === 'number' && !Number.isFinite(leaf))
        throw new YamlError(`json: unsupported value: ${goFloat(leaf)}`)
      return typeof (leaf as unknown) === 'bigint' ? parseJson(String(leaf)) : leaf
    },
  )
}

/** A number that JSON does not have, as Go prints it. */
function goFloat(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
