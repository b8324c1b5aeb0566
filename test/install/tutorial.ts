/** A tutorial as a reader follows it: files to write, commands to give, and what they show. */
export interface Tutorial {
  readonly files: Readonly<Record<string, string>>
  /** Each line of its ```sh blocks, in order. */
  readonly commands: readonly string[]
  /** What the last command before a ```text block shows, by that command. */
  readonly shows: Readonly<Record<string, string>>
}

/** Reads a tutorial: a block behind `<!-- file: NAME -->` is a file, `sh` blocks are commands, a `text` block is what the last one shows. */
export function tutorialOf(markdown: string): Tutorial {
  const files: Record<string, string> = {}
  const shows: Record<string, string> = {}
  const commands: string[] = []
  const block = /(?:^<!-- file: (\S+) -->\n)?^```(\w+)\n([\s\S]*?)^```/gm
  for (const [, file, language, body = ''] of markdown.matchAll(block)) {
    if (file !== undefined) files[file] = body
    else if (language === 'sh') commands.push(...body.trim().split('\n'))
    else if (language === 'text') shows[commands.at(-1) ?? ''] = body
  }
  return { files, commands, shows }
}
