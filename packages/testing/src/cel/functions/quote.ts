const escapes: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

/** A text in double quotes, as an expression would write it. */
export function quote(text: string): string {
  return `"${[...text].map(char => escapes[char] ?? char).join('')}"`
}

/** A text as Go's `%q` prints it. */
export function goQuote(text: string): string {
  const inner = text.replace(/["\\]|(?! )[\p{C}\p{Z}]/gu, char => {
    const code = char.codePointAt(0) as number
    const hex = (digits: number): string => code.toString(16).padStart(digits, '0')
    return escapes[char] ?? (code < 0x80 ? `\\x${hex(2)}` : code > 0xffff ? `\\U${hex(8)}` : `\\u${hex(4)}`)
  })
  return `"${inner}"`
}
