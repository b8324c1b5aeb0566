import ts from 'typescript'

/** A doc comment, taken apart. */
export interface DocComment {
  /** The text before the first tag. */
  readonly description: string
  readonly tags: readonly Tag[]
}

/** A tag of a doc comment: `@minimum 1`. */
export interface Tag {
  readonly name: string
  readonly text: string
}

/**
 * The doc comment of a declaration; undefined if the declaration has none.
 *
 * The text is parsed here, because TypeScript's parser reads braces and the values of tags such as `@enum` as types.
 */
export function docCommentOf(declaration: ts.Node): DocComment | undefined {
  const { text } = declaration.getSourceFile()
  const start = declaration.getStart()
  // TypeScript itself overlooks a comment that follows a brace on the same line. Its limits would be lost.
  const onSameLine = ts
    .getTrailingCommentRanges(text, declaration.pos)
    ?.filter(({ end }) => !text.slice(end, start).includes('\n'))
  const ranges = [...(onSameLine ?? []), ...(ts.getLeadingCommentRanges(text, declaration.pos) ?? [])]
  const comment = ranges.map(({ pos, end }) => text.slice(pos, end)).findLast(one => /^\/\*\*[^/]/.test(one))
  return comment === undefined ? undefined : parseDocComment(comment)
}

/** Reads a doc comment from its first slash to its last. A line that begins with `@` begins a tag; `\@` and `*\/` stand for these characters themselves. */
function parseDocComment(comment: string): DocComment {
  const lines = comment
    .slice('/**'.length, -'*/'.length)
    .split(/\r?\n/)
    .map((line, at) => (at === 0 ? line.replace(/^ /, '') : line.replace(/^\s*\* ?/, '')))
  const parts: { name: string; lines: string[] }[] = [{ name: '', lines: [] }]
  for (const line of lines) {
    const [, name, text = ''] = /^\s*@([A-Za-z][\w-]*)(?:\s+([\s\S]*))?$/.exec(line) ?? []
    if (name === undefined) parts.at(-1)?.lines.push(line)
    else parts.push({ name, lines: [text] })
  }
  const [first, ...tags] = parts.map(part => ({ name: part.name, text: unescaped(part.lines.join('\n').trim()) }))
  return { description: first?.text ?? '', tags }
}

function unescaped(text: string): string {
  return text.replace(/^(\s*)\\@/gm, '$1@').replaceAll('*\\/', '*/')
}
