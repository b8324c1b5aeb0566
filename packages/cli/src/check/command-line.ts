import { globSync } from 'node:fs'

/** A part of a command line that only a shell understands. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError'
}

/** A word, and whether its `*` stand for names of files. */
interface Word {
  readonly text: string
  readonly isPattern: boolean
}

/**
 * The commands of a script of package.json, each with its arguments. Parses quotes, `&&` and `;` as a shell does, and expands patterns of files relative to
 * `cwd`.
 *
 * @throws ShellSyntaxError for other syntax of a shell, such as `$NAME` and `|`
 */
export function commandsOf(script: string, cwd: string): readonly (readonly string[])[] {
  const commands: string[][] = [[]]
  for (const [token] of script.matchAll(/&&|;|(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\;&]|&(?!&))+|["']/g)) {
    if (token === '&&' || token === ';') commands.push([])
    else commands.at(-1)?.push(...expanded(wordOf(token), cwd))
  }
  return commands.filter(command => command.length > 0)
}

function wordOf(token: string): Word {
  let isPattern = false
  const parts = token.matchAll(/"([^"]*)"|'([^']*)'|\\(.)|([^"'\\]+)|(["'\\])/g)
  const text = Array.from(parts, ([, double, single, escaped, plain, open]) => {
    if (open !== undefined) throw new ShellSyntaxError(open)
    const special = /[$`]/.exec(double ?? '') ?? /[$`|<>&(){}~!#]/.exec(plain ?? '')
    if (special !== null) throw new ShellSyntaxError(special[0])
    if (/[*?[]/.test(plain ?? '')) isPattern = true
    return double ?? single ?? escaped ?? plain ?? ''
  })
  return { text: text.join(''), isPattern }
}

/** Expands a pattern of files. A pattern without a matching file stays unchanged, as in a shell. */
function expanded({ text, isPattern }: Word, cwd: string): readonly string[] {
  const found = isPattern ? globSync(text, { cwd }).sort() : []
  return found.length === 0 ? [text] : found
}
