import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UsedRight } from '@wherry/testing'
import type { OperatorDeclaration } from '../program/declaration.ts'

/** Writes a program to `main.mjs` of a folder that publishes a declaration, as an operator does when it begins to run. */
export function publishingProgram(folder: string, declaration: OperatorDeclaration): Promise<void> {
  const text = `import { channel } from 'node:diagnostics_channel'
channel('wherry.operator.run').publish(${JSON.stringify(declaration)})
`
  return writeFile(join(folder, 'main.mjs'), text)
}

/** Writes the rights of a test where commands look for them. */
export async function recordIn(folder: string, test: string, rights: readonly UsedRight[]): Promise<void> {
  await mkdir(join(folder, '.wherry/rights'), { recursive: true })
  await writeFile(join(folder, `.wherry/rights/${test}.json`), JSON.stringify({ test, rights }))
}
