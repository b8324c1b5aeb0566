import { StatusError } from '../status.ts'

/** Reads a resourceVersion parameter. Throws the 400 of a list for what is no number. */
export function parseResourceVersion(text: string): number {
  if (!/^(0|[1-9]\d{0,14})$/.test(text)) {
    throw StatusError.badRequest(
      `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`,
    )
  }
  return Number(text)
}
