import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { CustomResourceDefinition } from '@wherry/client/resources/apiextensions'
import ts from 'typescript'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { type Project, temporaryProject } from '../testkit/project.ts'
import { run, testkit } from '../testkit/run.ts'
import { DefinitionFiles } from './definition-files.ts'
import type { FileChanges } from './file-changes.ts'
import { generatedDefinition, writeManifest } from './manifests.ts'
import { watchManifests } from './watch.ts'

let project: Project
let folder: string

beforeEach(async () => {
  project = await temporaryProject()
  folder = project.folder
  await mkdir(join(folder, 'types'))
  await write('game.ts', game('players: number'))
  await write('types/cabinet.ts', cabinet('name'))
})

afterEach(() => project[Symbol.asyncDispose]())

const write = (name: string, text: string) => writeFile(join(folder, name), text)

const game = (field: string): string =>
  `import type { Cabinet } from './types/cabinet.ts'\n/**\n * @group arcade.example.com\n * @version v1\n */\nexport interface Game { spec: {\n${field}\ncabinet?: Cabinet } }\n`

const cabinet = (field: string): string => `export interface Cabinet { ${field}: string }\n`

/** Changes of a test: what it does in turn, and then the end. */
class Steps implements FileChanges {
  readonly watched = new Set<string>()
  readonly #steps: (() => Promise<void> | void)[]
  #onAdd: (() => void) | undefined

  constructor(steps: readonly (() => Promise<void> | void)[], onAdd?: () => void) {
    this.#steps = [...steps]
    this.#onAdd = onAdd
  }

  add(files: ReadonlySet<string>): ReadonlySet<string> {
    const added = new Set([...files].filter(file => !this.watched.has(file)))
    for (const file of added) this.watched.add(file)
    this.#onAdd?.()
    this.#onAdd = undefined
    return added
  }

  async next(): Promise<boolean> {
    const step = this.#steps.shift()
    await step?.()
    return step !== undefined
  }

  [Symbol.dispose](): void {}
}

/** Watches `game.ts` while the steps are done. Gives all that is printed. */
async function watch(changes: Steps, log: string[] = []): Promise<string[]> {
  const files = new DefinitionFiles(['game.ts'], folder)
  await watchManifests({
    files,
    changes,
    write: async () => {
      const [definition] = await files.interfaceDefinitions()
      return definition === undefined ? [] : [await writeManifest(generatedDefinition(definition), 'crd', folder)]
    },
    print: ({ file, state }) => log.push(`${file}: ${state}`),
    stderr: { write: text => log.push(text.trim()) },
  })
  return log
}

const manifest = 'crd/games.arcade.example.com.yaml'
const yaml = () => readFile(join(folder, manifest), 'utf8')

describe('wherry crd --watch', () => {
  it('writes again when a file or one that it imports changes, and says so once', async () => {
    const seen: unknown[] = []
    const look = async () => {
      const definition = parse(await yaml()) as CustomResourceDefinition
      const { spec } = definition.spec.versions[0]?.schema?.openAPIV3Schema?.properties ?? {}
      const { cabinet: inner, ...fields } = spec?.properties ?? {}
      seen.push([...Object.keys(fields), ...Object.keys(inner?.properties ?? {})])
    }
    const changes = new Steps([
      () => write('game.ts', game('rounds: number')),
      () => look().then(() => write('types/cabinet.ts', cabinet('label'))),
      () => look().then(() => write('game.ts', `${game('rounds: number')}// no change\n`)),
    ])
    expect(await watch(changes)).toEqual(Array(3).fill(`${manifest}: written`))
    await look()
    expect(seen).toEqual([
      ['rounds', 'name'],
      ['rounds', 'label'],
      ['rounds', 'label'],
    ])
    expect([...changes.watched].toSorted()).toEqual([join(folder, 'game.ts'), join(folder, 'types/cabinet.ts')])
  })

  it('prints an error and goes on', async () => {
    const changes = new Steps([
      () => write('game.ts', game('rounds: Nothing')),
      () => rm(join(folder, 'game.ts')),
      () => write('game.ts', ''),
      () => write('game.ts', game('players: number')),
    ])
    expect(await watch(changes)).toEqual([
      `${manifest}: written`,
      "wherry: game.ts:7: Cannot find name 'Nothing'.",
      "wherry: game.ts can't be read",
      expect.stringContaining('wherry: game.ts: --watch takes files with interfaces'),
      'wherry: all files are current again',
    ])
  })

  it('sees a change between the reading of a file and its watch', async () => {
    const changes = new Steps([], () => ts.sys.writeFile(join(folder, 'types/cabinet.ts'), cabinet('label')))
    expect(await watch(changes)).toEqual(Array(2).fill(`${manifest}: written`))
    expect(await yaml()).toContain('label:')
  })

  it('parses no file again that has not changed', async () => {
    const log: string[] = []
    const changes = new Steps([
      async () => {
        await write('game.ts', game('rounds: number'))
        vi.spyOn(ts.sys, 'readFile').mockImplementation((...args) => {
          log.push(args[0])
          return read(...args)
        })
      },
    ])
    const read = ts.sys.readFile.bind(ts.sys)
    try {
      expect(await watch(changes)).toHaveLength(2)
    } finally {
      vi.restoreAllMocks()
    }
    expect(log).toContain(join(folder, 'game.ts'))
    expect(log.filter(name => name.endsWith('.d.ts'))).toEqual([])
  })

  it.for([
    ['crd game.ts --watch', '--watch needs --out'],
    ['crd game.ts --watch --check --out crd', '--check writes none'],
    ['crd none.ts --watch --out crd', "none.ts can't be read"],
  ] as const)('takes "%s" for wrong usage', async ([line, words]) => {
    expect(await run(line, folder)).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(words) })
  })

  it('refuses modules', async () => {
    const ran = await run(`crd arcade.crd.ts --watch --out ${folder}`, testkit)
    expect(ran).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining('node --watch') })
  })

  it('as a command: writes the definition after a change, and ends with 0 at SIGINT', async () => {
    const fromSource = new URL('../../../../test/examples/from-source.ts', import.meta.url).href
    const bin = new URL('../bin.ts', import.meta.url).pathname
    const args = ['--import', fromSource, bin, 'crd', 'game.ts', '--watch', '--out', 'crd']
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    const closed = once(child, 'close')
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      expect((await lines.next()).value).toBe(`${manifest}: written`)
      await write('types/cabinet.ts', cabinet('label'))
      expect((await lines.next()).value).toBe(`${manifest}: written`)
      expect(await yaml()).toContain('label:')
      child.kill('SIGINT')
      expect(await closed).toEqual([0, null])
    } finally {
      child.kill('SIGKILL')
      await closed
    }
  })
})
