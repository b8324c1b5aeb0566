/** The ids of the numbered rules in the text of docs/guarantees.md, in its order. */
export function ruleIds(text: string): string[] {
  return [...text.matchAll(/^- \*\*([A-Z]\d+)\.\*\* /gm)].map(match => match[1] as string)
}

/** A test title that begins with rules: `it('R7, R20: …')`, in whatever quotes. */
const title = /\(\s*['"`]([A-Z]\d+(?:, ?[A-Z]\d+)*): /g

/** How often each rule is named by the test titles in a source text. */
export function rulesNamed(source: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [, ids = ''] of source.matchAll(title))
    for (const id of ids.split(/, ?/)) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
