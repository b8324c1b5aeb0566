/** Reads a resourceVersion; `undefined` if the text is none. Leading zeros are accepted, as the server accepts them. */
export function parseResourceVersion(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** The server's message about a text that is no resourceVersion. */
export function notAResourceVersion(text: string): string {
  return `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`
}
