import { toLatin1 } from './objects/stored.ts'

/** The number of characters of all warnings above which a real server shortens each of them. */
const mostInAll = 4096
const mostOfEach = 256

/**
 * The values of the `Warning` headers with these texts, a character for each byte. As on a real server, a text that is empty or has control characters is left
 * out, and if the texts are long together, each is cut off and the last ones are left out.
 */
export function warningHeaders(texts: Iterable<string>): string[] {
  const all = Array.from(texts, text => Array.from(text)).filter(
    text => text.length > 0 && !text.some(one => /\p{Cc}/u.test(one)),
  )
  const isLong = all.reduce((sum, { length }) => sum + length, 0) > mostInAll
  const headers: string[] = []
  let written = 0
  for (const text of all) {
    if (written >= mostInAll) break
    const shown = isLong ? text.slice(0, mostOfEach) : text
    written += shown.length
    headers.push(`299 - ${toLatin1(JSON.stringify(shown.join('')))}`)
  }
  return headers
}
