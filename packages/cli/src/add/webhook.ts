import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { isRecord } from '../definition/shape.ts'
import { refused, wrongUsage } from '../failure.ts'
import type { CommandHost } from '../host.ts'
import { resourcesIn } from './project-resources.ts'
import { type NewWebhook, type ProjectResource, webhookSource, webhookTest } from './webhook-sources.ts'
import { webhookLines, wired } from './wired.ts'

/** The webhook that the user wants to add. */
export interface AskedWebhook {
  readonly name: string
  readonly kind: string
  readonly mutates: boolean
  /** The path of the program as the user wrote it. */
  readonly program: string
}

/** Writes a webhook and its test, and adds the webhook to the program. Prints the lines to add if it can't change the program safely. */
export async function addWebhook({ name, kind, mutates, program }: AskedWebhook, host: CommandHost): Promise<void> {
  const { cwd, stdout } = host
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    throw wrongUsage(`${name}: the name of a webhook is of a to z, 0 to 9 and -, up to 63, and begins with a letter`)
  const text = await readFile(resolve(cwd, program), 'utf8').catch(() => {
    throw wrongUsage(`${program} is not there: name the program of your operator with --program`)
  })
  const manifest = await packageOf(cwd)
  const folder = dirname(program)
  const webhook: NewWebhook = {
    ...{ name, mutates, resource: await resourceOf(kind, folder, cwd) },
    operator: /\bname:\s*['"]([a-z0-9][-a-z0-9]*)['"]/.exec(text)?.[1] ?? manifest.name,
  }
  const tests = join(folder === '.' ? 'test' : join(dirname(folder), 'test'), `${name}.test.ts`)
  const files = {
    [join(folder, 'webhooks', `${name}.ts`)]: webhookSource(webhook),
    [tests]: webhookTest(webhook, relative(dirname(tests), folder).replaceAll('\\', '/')),
  }
  const there = Object.keys(files).find(file => existsSync(resolve(cwd, file)))
  if (there !== undefined) throw refused(`${there} is there already: choose another name, or remove it`)
  for (const [file, content] of Object.entries(files)) {
    await mkdir(resolve(cwd, dirname(file)), { recursive: true })
    await writeFile(resolve(cwd, file), content)
    stdout.write(`${file}\n`)
  }
  const changed = wired(text, webhook)
  if (changed !== undefined) {
    await writeFile(resolve(cwd, program), changed)
    stdout.write(`${program}\n`)
  }
  const hasPackage = await manifest.add()
  if (!hasPackage) stdout.write('package.json\n')
  if (changed === undefined) {
    const { imports, statements } = webhookLines(webhook, 'operator')
    stdout.write(
      `\nAdd these lines to ${program}, before the operator runs:\n\n${[...imports, ...statements].join('\n')}\n`,
    )
  }
  stdout.write(`\n${hasPackage ? '' : 'npm install\n'}npm test\nnpm run manifests\n`)
}

async function resourceOf(kind: string, folder: string, cwd: string): Promise<ProjectResource> {
  const resources = await resourcesIn(resolve(cwd, folder))
  const [found, ...others] = resources.filter(one => one.kind === kind)
  if (found !== undefined && others.length === 0) return found
  if (found !== undefined)
    throw refused(`--for ${kind}: ${[found, ...others].map(one => one.file).join(' and ')} declare it`)
  const known = [...new Set(resources.map(one => one.kind))].join(', ') || 'no kind'
  throw refused(`--for ${kind}: no file in ${folder} exports it as defineResource({ … }); they export ${known}`)
}

interface Package {
  readonly name: string
  /** Adds the dependency `@wherry/webhook`, at the version of the other packages. Resolves with true if it was there before. */
  add(): Promise<boolean>
}

async function packageOf(cwd: string): Promise<Package> {
  const path = resolve(cwd, 'package.json')
  const text = await readFile(path, 'utf8').catch(() => {
    throw wrongUsage('package.json is not there: run this in the folder of your operator')
  })
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    throw refused('package.json is not JSON')
  }
  const fields = isRecord(parsed) ? parsed : {}
  const dependencies = isRecord(fields.dependencies) ? fields.dependencies : {}
  const version = dependencies['@wherry/controller']
  if (typeof version !== 'string')
    throw refused('package.json has no dependency @wherry/controller: is it an operator?')
  return {
    name: typeof fields.name === 'string' ? fields.name.replace(/^@.*\//, '') : 'operator',
    async add() {
      if (dependencies['@wherry/webhook'] !== undefined) return true
      const all = Object.entries({ ...dependencies, '@wherry/webhook': version })
      const sorted = Object.fromEntries(all.sort(([one], [other]) => (one < other ? -1 : 1)))
      await writeFile(path, `${JSON.stringify({ ...fields, dependencies: sorted }, undefined, 2)}\n`)
      return false
    },
  }
}
