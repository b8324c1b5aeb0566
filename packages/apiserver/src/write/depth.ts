/**
 * The most levels of lists and objects in a request's body. A real server reads 10,000; here functions that call themselves read the body, and the stack bounds
 * their depth.
 */
export const maxLevels = 1000

/** The bracket that begins a level too many in a JSON text; `undefined` if there is none. */
export function tooDeepAt(text: string): '[' | '{' | undefined {
  // Each level has two brackets.
  if (text.length <= 2 * maxLevels) return undefined
  let level = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') {
      if (++level > maxLevels) return token
    } else if (token === ']' || token === '}') level--
  }
  return undefined
}
