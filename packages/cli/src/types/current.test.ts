import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testkit } from '../testkit/run.ts'
import { isCurrentTypes } from './current.ts'

const made = await readFile(join(testkit, 'every.ts.txt'), 'utf8')

/** The text with each of these changes in turn. Each must change it. */
const changed = (changes: readonly ((text: string) => string)[]): string[] =>
  changes.map(change => {
    expect(change(made)).not.toBe(made)
    return change(made)
  })

it('K5: a file that a formatter or a person has laid out in another way is current', () => {
  const layouts = changed([
    text => `// eslint-disable\n${text}`,
    text => text.replaceAll("'", '"'),
    text => text.replaceAll(/^( {2}[\w?"-]+: [^{\n]+)$/gm, '$1;'),
    text => text.replaceAll('\n', '\r\n'),
    text => text.replaceAll(/^ {2}/gm, '\t'),
    text => text.replace('  apiVersion?: string\n  kind?: string\n', '  kind?: string\n  apiVersion?: string\n'),
    text => text.replace('Duration, IntOrString, ', '\n  IntOrString,\n  Duration,\n'),
    text => text.replaceAll(/^( {2}[\w-]+\??:) ("[^"\n]+" \| )/gm, '$1\n    | $2'),
  ])
  expect(layouts.filter(text => !isCurrentTypes(text, made))).toEqual([])
})

it('K5: a file that says something else is stale', () => {
  const stale = changed([
    text => text.replace(' * All.', ' * Some.'),
    text => text.replace('@shortName ev\n', '@shortName ew\n'),
    text => text.replace('apiVersion?:', 'apiVersion:'),
    text => text.replace('count?: int', 'count?: int64'),
    text => text.replace(/" \| "/, '"\n  | 3 | "'),
    text => `${text}export interface More {}\n`,
    text => text.replace('export interface EveryStatus {', 'export interface EveryStatus {{'),
    text => `${text}}\n`,
    () => '',
  ])
  expect(stale.filter(text => isCurrentTypes(text, made))).toEqual([])
})
