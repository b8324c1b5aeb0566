/** A doc comment with a description and tags, each line indented; an empty text if there is neither. */
export function commentText(description: string, tags: readonly string[], indent = ''): string {
  const lines = [
    ...(description === '' ? [] : escaped(description).split('\n')),
    ...(description === '' || tags.length === 0 ? [] : ['']),
    ...tags.map(tag => tag.replaceAll('*/', '*\\/')),
  ]
  if (lines.length === 0) return ''
  const body = lines.map(line => `${indent} * ${line}`.trimEnd())
  return `${indent}/**\n${body.join('\n')}\n${indent} */\n`
}

/** Whether a text in a doc comment is read back unchanged. */
export function isPlain(text: string): boolean {
  const lines = text.split('\n')
  return text === text.trim() && !/[\r\\]/.test(text) && lines.every(line => line === line.trimEnd())
}

/** The value of a tag, if it can stand on the tag's line. */
export function isOneLine(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text === text.trim() && !/[\r\n\u2028\u2029]|\*\\?\//.test(text)
}

/** Any text as the value of a tag: as a JSON string if it can't stand on the line unchanged. */
export function tagText(text: string): string {
  if (isOneLine(text) && !text.startsWith('"')) return text
  return JSON.stringify(text).replaceAll('*/', '*\\u002f')
}

function escaped(text: string): string {
  return text.replace(/^(\s*)@/gm, '$1\\@').replaceAll('*/', '*\\/')
}
