import { readFileSync } from 'node:fs'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { bin, command } from '../test/command.ts'
import type { Found } from '../test/step.ts'
import { twoAtATime } from '../two-at-a-time.ts'
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

/** Looks at whether TypeScript finds each export's types as Node finds its code. */
export async function checkTypesAreRight(): Promise<Found> {
  const failures: string[] = []
  const tarballs = (await packed()).map(({ tarball }) => tarball)
  await twoAtATime(tarballs, async tarball => {
    const ended = await command(bin('attw'), [tarball, '--profile', 'esm-only', '--format', 'ascii', '--no-emoji'])
    if (ended.code !== 0) failures.push(ended.output.trim())
  })
  return { passed: tarballs.length - failures.length, failures }
}
