/**
 * The most levels of lists and objects in a request's body. A real server reads 10,000; here functions that call themselves read the body, and the stack bounds
 * their depth.
 */
export const maxLevels = 3100
/** The most levels in a patch. Functions that call themselves more deeply carry it out. */
export const maxPatchLevels = 1000

/** The bracket that begins a level too many in a JSON text; `undefined` if there is none. */
export function tooDeepAt(text: string, most: number = maxLevels): '[' | '{' | undefined {
  // Each level has two brackets.
  if (text.length <= 2 * most) return undefined
  let level = 0
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === '[' || char === '{') {
      level += 1
      if (level > most) return char
    } else if (char === ']' || char === '}') level -= 1
  }
  return undefined
}

/** The place of the quote that ends a string, or the end of the text. */
function endOfString(text: string, begin: number): number {
  let end = begin
  for (;;) {
    end = text.indexOf('"', end + 1)
    if (end < 0) return text.length
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes += 1
    if (backslashes % 2 === 0) return end
  }
}
