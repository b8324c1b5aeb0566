import { describe, expect, it } from 'vitest'
import { parse, parseDocument } from 'yaml'
import { game } from '../testkit/game.ts'
import { readYaml } from '../yaml/read.ts'
import { definitionYaml, isCurrentYaml } from './yaml.ts'

describe('definitionYaml', () => {
  it('writes the definition whole, without aliases', () => {
    const shared = { type: 'object' }
    const [version] = game.definition.spec.versions
    const twice = { ...version, schema: { openAPIV3Schema: { type: 'object', properties: { a: shared, b: shared } } } }
    const definition = {
      ...game.definition,
      spec: { ...game.definition.spec, versions: [twice as typeof version & object] },
    }
    expect(parse(definitionYaml(definition))).toEqual(definition)
    expect(definitionYaml(definition)).not.toMatch(/[&*]a\d/)
  })
})

it('definitionYaml quotes what the YAML of Kubernetes would not read as a text', () => {
  const [version] = game.definition.spec.versions
  const texts = ['yes', 'No', 'on', 'off', 'y', 'n', '1_000', '12:30:45', '0777', '0b1', '2026-01-31', '~', 'plain']
  const schema = { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string', enum: texts } } } }
  const definition = { ...game.definition, spec: { ...game.definition.spec, versions: [{ ...version, schema }] } }
  const text = definitionYaml(definition as typeof game.definition)
  expect(parse(text, { version: '1.1' })).toEqual(definition)
  expect(text).toContain('- plain\n')
})

it('definitionYaml writes what kubectl reads as it was, and isCurrentYaml reads what kubectl reads', () => {
  const [version] = game.definition.spec.versions
  const tricky = [
    'no',
    '<<',
    '=',
    '1:30',
    '0o7',
    'a\u2028b',
    '\u0085',
    '\ufeff',
    '\u007f',
    '.inf',
    '',
    ' a',
    'a: b',
    '#',
  ]
  const properties = Object.fromEntries(tricky.map(text => [text, { type: 'string', description: text }]))
  const schema = { openAPIV3Schema: { type: 'object', properties } }
  const made = { ...game.definition, spec: { ...game.definition.spec, versions: [{ ...version, schema }] } } as never
  const text = definitionYaml(made)
  expect(text).not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff]/)
  expect(readYaml(text)).toEqual([made])
  expect(isCurrentYaml(text, made)).toBe(true)
  const { group } = game.definition.spec
  const merged = `x: &x\n  a: no\n`
  expect(readYaml(`${merged}z: { <<: *x }\n`)).toEqual([{ x: { a: false }, z: { a: false } }])
  const written = definitionYaml(game.definition)
  expect(isCurrentYaml(written.replace(`group: ${group}`, 'group: no'), game.definition)).toBe(false)
  expect(isCurrentYaml(written.replace('kind: Game\n', '<<: { kind: Game }\n'), game.definition)).toBe(true)
  expect(isCurrentYaml(`${written}spec: {}\n`, game.definition)).toBe(false)
})

describe('isCurrentYaml', () => {
  const text = definitionYaml(game.definition)

  it('takes the same definition with comments and in another order', () => {
    const reordered = definitionYaml(Object.fromEntries(Object.entries(game.definition).reverse()) as never)
    expect([text, `# Made by a tool.\n${text}`, reordered].map(one => isCurrentYaml(one, game.definition))).toEqual([
      true,
      true,
      true,
    ])
  })

  it('takes the same definition in another layout and with other quotes', () => {
    const document = parseDocument(text)
    document.commentBefore = ' Applied by CI.'
    const layouts = [
      document.toString({ indent: 4, lineWidth: 40 }),
      document.toString({ defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'PLAIN' }),
      JSON.stringify(game.definition),
      `${text}\n...\n`,
    ]
    expect(layouts.filter(one => one === text || !isCurrentYaml(one, game.definition))).toEqual([])
  })

  it('finds a stale manifest, and one that can not be read', () => {
    const stale = text.replace('maximum: 64', 'maximum: 65')
    expect(stale).not.toBe(text)
    expect([stale, '', `${text}---\n${text}`, '{'].map(one => isCurrentYaml(one, game.definition))).toEqual([
      false,
      false,
      false,
      false,
    ])
  })
})
