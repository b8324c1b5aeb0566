import { chance, choose, integer } from '@wherry/testing'

const tricky = [
  ...['no', 'yes', 'y', 'N', 'on', 'Off', 'true', 'False', 'TRUE', 'null', '~', 'Null', '', '<<', '=', '!', '&a', '*a'],
  ...[
    '0',
    '-0',
    '010',
    '0o17',
    '0x1F',
    '0b101',
    '0b-1',
    '1_000',
    '+12',
    '-7',
    '089',
    '9007199254740993',
    '1e3',
    '1E-3',
  ],
  ...['18446744073709551615', '18446744073709551616', '-9223372036854775808', '1e999', '.5', '5.', '.', '..', '-.5e1'],
  ...[
    '.inf',
    '-.Inf',
    '.nan',
    '12:30:45',
    '1:60',
    '2001-01-01',
    '2001-12-14t21:59:43.10-05:00',
    '1.2.3',
    '0x',
    '_1',
    '1_',
    '.1_2',
    '._1',
    '.1__2',
    '-.1_2e1_0',
    '.1_',
  ],
  ...[
    'a: b',
    'a #b',
    '#a',
    '- a',
    '-',
    '?',
    ':',
    'a:',
    '%a',
    '@a',
    '`a',
    '{',
    ']',
    ',',
    '"',
    "'",
    '\\',
    '|',
    '>',
    'a\nb',
  ],
  ...[
    ' a',
    'a ',
    '\ta',
    'a\n',
    '\n',
    'a\n\nb\n',
    '\u00e9',
    '\u2028',
    '\u{1f600}',
    '\u0085',
    '\u0007',
    '---',
    '...',
    'key',
  ],
  ...[
    '__proto__',
    'constructor',
    'a'.repeat(100),
    'word '.repeat(30),
    'word\n'.repeat(5),
    '\r',
    'a\rb',
    '\ufeff',
    '\u007f',
  ],
]

const letters = [...'0123456789abxoeE_+-.:~<>=yYnNfFtT #']

/** A text that readers of YAML may take for something else. */
export function trickyText(random: () => number): string {
  if (chance(random, 0.6)) return choose(random, tricky)
  return Array.from({ length: integer(random, 1, 8) }, () => choose(random, letters)).join('')
}

/** A value of JSON with tricky texts. */
export function trickyValue(random: () => number, depth = 0): unknown {
  const kind = integer(random, 0, depth > 3 ? 5 : 9)
  if (kind < 4) return trickyText(random)
  if (kind === 4) return choose(random, [null, true, false, 0, -1, 1.5, 1e21, 1e-7, 2 ** 53, -1e100])
  if (kind === 5) return choose(random, [[], {}])
  const length = integer(random, 1, 4)
  if (kind < 7) return Array.from({ length }, () => trickyValue(random, depth + 1))
  return Object.fromEntries(Array.from({ length }, () => [trickyText(random), trickyValue(random, depth + 1)]))
}

/** A text of YAML with scalars of all styles and tags, anchors, aliases and merges. Not each is one that all readers take. */
export class RandomYaml {
  readonly #random: () => number
  readonly #anchors: string[] = []

  constructor(random: () => number) {
    this.#random = random
  }

  text(): string {
    const length = integer(this.#random, 1, 6)
    return Array.from({ length }, () => `${this.#entry('')}\n`).join('')
  }

  #entry(indent: string): string {
    if (this.#anchors.length > 0 && chance(this.#random, 0.15)) return `${indent}<<: ${this.#merged()}`
    return `${indent}${this.#key()}:${this.#value(indent)}`
  }

  #merged(): string {
    const one = `*${choose(this.#random, this.#anchors)}`
    return chance(this.#random, 0.3) ? `[${one}, *${choose(this.#random, this.#anchors)}]` : one
  }

  #key(): string {
    return chance(this.#random, 0.7) ? choose(this.#random, ['a', 'b', 'c', 'd', 'e', 'f']) : this.#scalar()
  }

  #value(indent: string): string {
    const kind = integer(this.#random, 0, indent.length > 6 ? 5 : 9)
    if (kind < 5) return ` ${this.#tag()}${this.#scalar()}`
    if (kind === 5 && this.#anchors.length > 0) return ` *${choose(this.#random, this.#anchors)}`
    const length = integer(this.#random, 1, 3)
    const inner = `${indent}  `
    if (kind < 7) return `\n${Array.from({ length }, () => `${inner}-${this.#value(inner)}`).join('\n')}`
    const entries = Array.from({ length }, () => this.#entry(inner)).join('\n')
    if (kind === 7) return ` {${Array.from({ length }, () => this.#inBraces()).join(', ')}}`
    if (!chance(this.#random, 0.5)) return `\n${entries}`
    const anchor = choose(this.#random, chance(this.#random, 0.95) ? ['x', 'y', 'z'] : ['x:', 'y-1', 'z.', 'é', '<<'])
    this.#anchors.push(anchor)
    return ` &${anchor}\n${entries}`
  }

  /** An entry of a map in braces, with or without a value. */
  #inBraces(): string {
    const anchor = chance(this.#random, 0.1) ? `&${choose(this.#random, ['a', 'b:', 'c,', 'd]', 'e!'])} ` : ''
    const key = `${this.#tag()}${anchor}${this.#key()}`
    return chance(this.#random, 0.85) ? `${key}: ${this.#tag()}${this.#scalar()}` : key
  }

  #tag(): string {
    if (chance(this.#random, 0.85)) return ''
    return `${choose(this.#random, ['!!str', '!!int', '!!float', '!!bool', '!!null', '!!binary', '!own', '!!timestamp'])} `
  }

  #scalar(): string {
    const text = trickyText(this.#random)
    if (chance(this.#random, 0.7)) return /[\n\r]/.test(text) ? 'plain' : text
    return chance(this.#random, 0.5)
      ? JSON.stringify(text)
      : `'${text.replaceAll("'", "''").replaceAll(/[\n\r]/g, ' ')}'`
  }
}
