import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { readYaml, yamlText } from '@wherry/crd/internal'
import { seededRandom } from '@wherry/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildGoProgram } from '../go-program.ts'
import { RandomYaml, trickyValue } from './random-yaml.ts'

const seeds = Number(process.env.WHERRY_SEEDS ?? 3000)
const firstSeed = Number(process.env.WHERRY_FIRST_SEED ?? 1)
const all = Array.from({ length: seeds }, (_, at) => firstSeed + at)

let program: string

beforeAll(async () => {
  program = await buildGoProgram(join(import.meta.dirname, 'go'), 'yaml')
}, 600_000)

interface Answer {
  readonly json?: unknown
  readonly error?: string
}

/** How the program packs a value: V8 takes some keys with escapes for keys of earlier objects. */
type Packed = readonly ['map' | 'list', ...unknown[]] | string | number | boolean | null

function unpacked(value: Packed): unknown {
  if (!Array.isArray(value)) return value
  const [kind, ...all] = value as readonly [string, ...Packed[]]
  if (kind === 'list') return all.map(unpacked)
  return Object.fromEntries((all as unknown as [string, Packed][]).map(([key, one]) => [key, unpacked(one)]))
}

/** What kubectl reads these texts as. */
async function readByGo(texts: readonly string[]): Promise<readonly Answer[]> {
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(texts.map(text => `${JSON.stringify(text)}\n`).join(''))
  const lines = (await textOf(child.stdout)).split('\n').filter(Boolean)
  return lines.map(line => {
    const { json = null, error } = JSON.parse(line) as { readonly json?: Packed; readonly error?: string }
    return error === undefined ? { json: unpacked(json) } : { error }
  })
}

/** A text that equal values of JSON have in common. JSON has one zero. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(Object.is(value, -0) ? 0 : value)
  const entries = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`)
  return `{${entries.sort().join()}}`
}

function readByUs(text: string): Answer {
  try {
    const [json, ...others] = readYaml(text)
    return others.length > 0 ? { error: 'several documents' } : { json: json ?? null }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

describe(`${seeds} random texts`, () => {
  it('are read as kubectl reads them, or refused', async () => {
    const texts = all.map(seed => new RandomYaml(seededRandom(seed)).text())
    const found = await readByGo(texts)
    const both = all.flatMap((seed, at) => {
      const [text = '', theirs = {}] = [texts[at], found[at]]
      return theirs.error === undefined ? [{ seed, text, theirs: theirs.json, ours: readByUs(text) }] : []
    })
    const read = both.filter(({ ours }) => ours.error === undefined)
    const different = read.filter(({ theirs, ours }) => canonical(theirs) !== canonical(ours.json))
    expect(different.slice(0, 3)).toEqual([])
    // Go's parser takes what the grammar has no place for, and ends there without a word.
    const refused = both.filter(({ ours }) => ours.error !== undefined && !/there twice/.test(ours.error))
    expect(refused.length / both.length).toBeLessThan(0.2)
    expect(read.length / seeds).toBeGreaterThan(0.1)
  })

  it('that are written are read again as they were, by kubectl and by us', async () => {
    const values = all.map(seed => ({ value: trickyValue(seededRandom(seed)) }))
    const texts = values.map(value => yamlText(value as never))
    const found = await readByGo(texts)
    const different = all.flatMap((seed, at) => {
      const [value, text = '', theirs = {}] = [values[at], texts[at], found[at]]
      const isSame = [theirs, readByUs(text)].every(({ json }) => canonical(json ?? null) === canonical(value))
      return isSame ? [] : [JSON.stringify({ seed, value, text, theirs, ours: readByUs(text) })]
    })
    expect(different.slice(0, 3)).toEqual([])
  })
})
