import { type Document, isAlias, isMap, isScalar, isSeq, type ParsedNode, parseAllDocuments, type Scalar } from 'yaml'
import type { Plain } from './plain.ts'
import { keyText, scalarValue } from './scalars.ts'
import { YamlError } from './yaml-error.ts'

/** How many levels of lists and maps a document may have. */
export const mostLevels = 500

// The parser returns only texts, because their values follow Go's rules. Its own check for duplicate keys takes quadratic time.
const options = { version: '1.1', schema: 'failsafe', uniqueKeys: false, merge: false, logLevel: 'silent' } as const

/**
 * The documents of a YAML or JSON text as kubectl reads them: YAML 1.1 with Go's types, and merge keys. Aliases share the value of their anchor. The time is
 * proportional to the text.
 *
 * @throws YamlError for a text that is no YAML, has a key twice or a value that JSON does not have, or is nested too deeply
 */
export function readYaml(text: string): readonly unknown[] {
  const [end] = /[\u0085\u2028\u2029]/.exec(text) ?? []
  if (end !== undefined && !text.trimStart().startsWith('{'))
    throw new YamlError(
      `it has the character ${codeOf(end)}, which ends a line for kubectl: write it as an escape in double quotes`,
    )
  const documents = parseAllDocuments(text, options)
  if (!Array.isArray(documents)) return []
  return documents.map(document => {
    const [wrong] = document.errors
    if (wrong !== undefined) {
      if (wrong.message.startsWith('Maximum call stack')) throw tooDeep()
      throw new YamlError((wrong.message.split('\n')[0] ?? '').replace(/:$/, ''))
    }
    return new Reader(document, text).value()
  })
}

const codeOf = (one: string): string => `U+${one.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`

/** The number of nodes that aliases may expand to in any text. Hand-written templates have fewer. */
const harmless = 100_000

const tooDeep = (): YamlError => new YamlError(`it has more than ${mostLevels} levels of lists and maps`)

/** The value of a node, and the number of nodes in it with its aliases expanded. */
interface Read {
  readonly value: unknown
  readonly nodes: number
  readonly isMap: boolean
}

class Reader {
  readonly #document: Document.Parsed
  /** The text that contains the document. */
  readonly #text: string
  /** The value of the node of each anchor; `undefined` while the node is being read. */
  readonly #anchors = new Map<string, { read: Read | undefined }>()
  /** The number of further nodes that aliases may expand to, because a few lines can expand to gigabytes. */
  #left: number
  /** How many lists and maps in brackets are being read. */
  #brackets = 0

  constructor(document: Document.Parsed, text: string) {
    this.#document = document
    this.#text = text
    this.#left = Math.max(harmless, text.length)
  }

  value(): unknown {
    const contents = this.#document.contents as ParsedNode | null
    // Go ends the block at the first line that is not indented, and ignores the rest.
    if (isScalar(contents) && contents.type?.startsWith('BLOCK_') === true)
      throw new YamlError('it is a block of text, and no map')
    return this.#read(contents, 0).value
  }

  #read(node: ParsedNode | null | undefined, depth: number): Read {
    if (depth > mostLevels) throw tooDeep()
    if (node === null || node === undefined) return { value: null, nodes: 1, isMap: false }
    if (isAlias(node)) return this.#alias(node.source)
    const place: { read: Read | undefined } = { read: undefined }
    // Go ends the name of an anchor at such a character.
    if (node.anchor !== undefined && /[^\w-]/.test(node.anchor))
      throw new YamlError(`the name of an anchor has other characters than letters, digits, _ and -${this.#at(node)}`)
    // Set before the contents are read: an anchor inside with the same name replaces this one.
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, place)
    const isInBrackets = !isScalar(node) && node.flow === true
    if (isInBrackets) this.#brackets += 1
    place.read = this.#own(node, depth)
    if (isInBrackets) this.#brackets -= 1
    return place.read
  }

  #own(node: ParsedNode, depth: number): Read {
    if (isMap(node)) return this.#map(node, depth)
    if (isSeq(node)) {
      const items = node.items.map(item => this.#read(item as ParsedNode, depth + 1))
      return { value: items.map(({ value }) => value), nodes: sum(items), isMap: false }
    }
    return { value: isScalar(node) ? jsonOf(this.#scalar(node)) : null, nodes: 1, isMap: false }
  }

  #alias(name: string): Read {
    const place = this.#anchors.get(name)
    if (place === undefined) throw new YamlError(`the alias *${name} has no anchor before it`)
    const found = place.read
    if (found === undefined) throw new YamlError(`the alias *${name} is in what it stands for`)
    this.#left -= found.nodes
    if (this.#left < 0) throw new YamlError('its aliases stand for too much')
    return found
  }

  #map(node: ParsedNode, depth: number): Read {
    const entries = new Map<string, unknown>()
    const own = new Set<string>()
    const parts: Read[] = []
    for (const { key, value } of isMap<ParsedNode, ParsedNode | null>(node) ? node.items : []) {
      if (isMergeKey(key)) {
        parts.push(...this.#merge(value, entries, depth))
        continue
      }
      const name = this.#key(key, depth)
      if (own.has(name))
        throw new YamlError(`the key ${JSON.stringify(name.slice(0, 60))} is there twice${this.#at(key)}`)
      own.add(name)
      const read = this.#read(value, depth + 1)
      parts.push(read)
      entries.set(name, read.value)
    }
    // Object.fromEntries makes a field of __proto__ too.
    return { value: Object.fromEntries(entries), nodes: sum(parts) + own.size, isMap: true }
  }

  /** Merges maps as Go does: merged entries replace earlier entries, and the first of several maps wins. */
  #merge(node: ParsedNode | null, entries: Map<string, unknown>, depth: number): readonly Read[] {
    const sources = node !== null && isSeq(node) ? (node.items as ParsedNode[]) : [node]
    const read = sources.map(source => this.#read(source, depth + 1))
    for (const { value, isMap: is } of read.toReversed()) {
      if (!is) throw new YamlError(`<<${this.#at(node)} merges what is no map`)
      for (const [name, one] of Object.entries(value as object)) entries.set(name, one)
    }
    return read
  }

  #key(node: ParsedNode | null, depth: number): string {
    if (node !== null && isScalar(node)) {
      if (node.anchor !== undefined) this.#read(node, depth)
      this.#checkColon(node)
      return keyText(this.#scalar(node))
    }
    const { value } = this.#read(node, depth + 1)
    if (typeof value === 'object') throw new YamlError(`a key is a list, a map or empty${this.#at(node)}`)
    return `${value}`
  }

  /**
   * Reads a scalar. Refuses texts that Go reads in another way: in brackets, a colon at the beginning ends an empty key for Go, and the characters next to a
   * tag are a part of the tag.
   */
  #scalar(node: Scalar.Parsed): Plain {
    if (this.#brackets > 0 && node.type === 'PLAIN' && node.source.startsWith(':'))
      throw new YamlError(`a text in [] or {} begins with a colon${this.#at(node)}: write it in quotes`)
    if (this.#brackets > 0 && node.tag !== undefined && node.source === '' && /^\S[,\]]/.test(this.#around(node)))
      throw new YamlError(
        `a tag in [] or {} has nothing behind it${this.#at(node)}: write a space, or a value in quotes`,
      )
    return scalarValue(node)
  }

  /** The characters before and after the beginning of a node. */
  #around({ range: [begin] }: Scalar.Parsed): string {
    return this.#text.slice(begin - 1, begin + 1)
  }

  /**
   * Refuses a key that Go reads in another way: in brackets, the colon of a key without quotes is a part of the key for Go, unless a space or the end of a line
   * follows.
   */
  #checkColon(key: Scalar.Parsed): void {
    if (this.#brackets === 0 || key.type !== 'PLAIN') return
    closeColon.lastIndex = key.range[1]
    if (closeColon.test(this.#text))
      throw new YamlError(`a key in [] or {} has a colon without a space behind it${this.#at(key)}: write the space`)
  }

  #at(node: ParsedNode | null): string {
    const offset = node?.range?.[0]
    return offset === undefined ? '' : ` (at character ${offset + 1})`
  }
}

const closeColon = /\s*:(?=[,[\]{}])/y

function isMergeKey(key: ParsedNode | null): boolean {
  return (
    key !== null &&
    isScalar(key) &&
    key.value === '<<' &&
    (key.tag === 'tag:yaml.org,2002:merge' || (key.type === 'PLAIN' && key.tag === undefined))
  )
}

function sum(parts: readonly Read[]): number {
  return parts.reduce((total, { nodes }) => total + nodes, 1)
}

function jsonOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'number' || Number.isFinite(value)) return value
  throw new YamlError(`${value} has no place in JSON`)
}
