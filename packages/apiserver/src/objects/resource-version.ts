const digits = /^0*(\d{1,20})$/

/** Reads a resourceVersion; `undefined` if the text is none. Leading zeros are accepted, as the server accepts them. */
export function parseResourceVersion(text: string): number | undefined {
  const [, significant] = digits.exec(text) ?? []
  return significant !== undefined && BigInt(significant) < 2n ** 64n ? Number(significant) : undefined
}

/** Go's message about a text that is no resourceVersion. */
export function parseProblem(text: string): string {
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'
  return `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`
}

/** The server's message about a text that is no resourceVersion. */
export function notAResourceVersion(text: string): string {
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${parseProblem(text)}`
}
