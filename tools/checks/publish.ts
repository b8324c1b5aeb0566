import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import type { Found } from '../test/step.ts'
import { packed } from './packed.ts'

/** Looks at what would be published with publint: its exports, files and types. */
export async function checkPublint(): Promise<Found> {
  const failures: string[] = []
  let passed = 0
  for (const { one, tarball } of await packed()) {
    const bytes = new Uint8Array(readFileSync(tarball))
    const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true, level: 'warning' })
    const found = messages.map(message => formatMessage(message, pkg) ?? message.code)
    if (Object.hasOwn(pkg, 'wherry'))
      found.push("package.json has the field wherry, which is for this workspace's tools only")
    if (found.length === 0) passed += 1
    else failures.push([one.name, ...found].join('\n  '))
  }
  return { passed, failures }
}

/** Nobody requires a package of ours from CommonJS, or resolves modules as Node 10 did. */
const notOurs: ReadonlySet<string> = new Set(['node10', 'node16-cjs'])

/** Looks at whether TypeScript finds each export's types as Node finds its code. */
export async function checkTypesAreRight(): Promise<Found> {
  const failures: string[] = []
  let passed = 0
  for (const { one, tarball } of await packed()) {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))))
    const found =
      result.types === false
        ? ['it has no types']
        : result.problems.filter(isOurs).map(problem => JSON.stringify(problem))
    if (found.length === 0) passed += 1
    else failures.push([one.name, ...found].join('\n  '))
  }
  return { passed, failures }
}

function isOurs(problem: Problem): boolean {
  return !('resolutionKind' in problem && notOurs.has(problem.resolutionKind))
}
