import { printable } from '../../one-line.ts'
import type { GameReport } from '../game/play.ts'
import { adviceUrl } from './advice.ts'
import { bytesText } from './bytes-text.ts'
import { columns, lines, type Row } from './columns.ts'
import { type Finding, findingText } from './findings.ts'
import { type AuditReport, receivedBytesOf } from './report.ts'
import { mostMemory } from './table.ts'

/** The differences between two reports, as text for people. */
export function comparison(before: AuditReport, after: AuditReport): string {
  const differences = [
    differing(
      ['LISTED OR WATCHED', 'SCOPE', 'SELECTOR', 'LISTS', 'WATCHES', 'OBJECTS', 'BYTES'],
      pairs(before.collections, after.collections, one => [one.resource, one.namespace, one.selector]),
      one => [one?.lists, one?.watches, one?.objects],
      one => one?.bytes,
    ),
    differing(
      ['BY NAME', 'GETS', 'A MINUTE', 'CREATES', 'UPDATES', 'PATCHES', 'DELETES', 'UNCHANGED', 'BYTES'],
      pairs(before.byName, after.byName, one => [one.resource]),
      one => [one?.get, one?.getsPerMinute, one?.create, one?.update, one?.patch, one?.delete, one?.unchanged],
      one => one?.bytes,
    ),
    differing(
      ['PATCHED', 'MANAGER', 'TYPE', 'TIMES', 'UNCHANGED'],
      pairs(before.patches, after.patches, one => [one.resource, one.manager, one.type]),
      one => [one?.times, one?.unchanged],
    ),
  ]
  const gone = without(before.findings, after.findings)
  const came = without(after.findings, before.findings)
  const parts = [
    runs(before, after),
    games(before.game, after.game),
    ...differences,
    gone.length > 0 ? lines('Findings that are gone:', ...gone.map(one => `- ${findingText(one)}`)) : '',
    came.length > 0
      ? lines('Findings that came:', ...came.flatMap(one => [`- ${findingText(one)}`, `  ${adviceUrl(one)}`]))
      : '',
  ]
  return printable(parts.filter(Boolean).join('\n'))
}

function runs(before: AuditReport, after: AuditReport): string {
  const both = [before, after]
  const rss = (sample: { readonly rssBytes: number } | undefined): string =>
    sample === undefined ? '-' : bytesText(sample.rssBytes)
  return columns(
    ['RUN', 'BEFORE', 'AFTER'],
    [
      ['seconds', ...both.map(one => `${one.seconds}`)],
      ['bytes received', ...both.map(one => bytesText(receivedBytesOf(one)))],
      ['memory at most', ...both.map(one => rss(mostMemory(one.memory)))],
      ['memory at last', ...both.map(one => rss(one.memory.at(-1)))],
      ['other requests', ...both.map(one => `${one.others.requests}`)],
      ['findings', ...both.map(one => `${one.findings.length}`)],
    ],
  )
}

/** The numbers of two games; empty if none was played. */
function games(before: GameReport | undefined, after: GameReport | undefined): string {
  const both = [before, after]
  if (both.every(game => game === undefined)) return ''
  const row = (title: string, text: (game: GameReport) => string): Row => [
    title,
    ...both.map(game => (game === undefined ? '-' : text(game))),
  ]
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
  return columns(
    ['GAME', 'BEFORE', 'AFTER'],
    [
      row('objects', ({ counts }) => `${sum(Object.values(counts))}`),
      row('objects received', ({ received }) => `${sum(received.map(({ objects }) => objects))}`),
      row('bytes received', ({ received }) => bytesText(sum(received.map(({ bytes }) => bytes)))),
      row('memory before', ({ rssBeforeBytes }) => bytesText(rssBeforeBytes)),
      row('memory at most', ({ rssMostBytes }) => bytesText(rssMostBytes)),
      row('memory after', ({ rssAfterBytes }) => bytesText(rssAfterBytes)),
    ],
  )
}

interface Pair<T> {
  readonly title: Row
  readonly before: T | undefined
  readonly after: T | undefined
}

/** The entries of two reports with the same title, in the order of the titles. */
function pairs<T>(before: readonly T[], after: readonly T[], titleOf: (one: T) => Row): readonly Pair<T>[] {
  const byKey = (all: readonly T[]): Map<string, T> => new Map(all.map(one => [JSON.stringify(titleOf(one)), one]))
  const [old, now] = [byKey(before), byKey(after)]
  return [...new Set([...old.keys(), ...now.keys()])].sort().map(key => {
    return { title: JSON.parse(key) as Row, before: old.get(key), after: now.get(key) }
  })
}

/** The rows with a number that differs. A number that a report does not have counts as 0. */
function differing<T>(
  head: Row,
  all: readonly Pair<T>[],
  numbersOf: (one: T | undefined) => readonly (number | undefined)[],
  bytesOf?: (one: T | undefined) => number | undefined,
): string {
  const rows = all.flatMap(({ title, before, after }) => {
    const shown = title.map((cell, at) => cell || (head[at] === 'SCOPE' ? 'cluster' : '-'))
    const [old, now] = [numbersOf(before), numbersOf(after)]
    const cells = old.map((number, at) => change(number, now[at], String))
    if (bytesOf !== undefined) cells.push(change(bytesOf(before), bytesOf(after), bytesText))
    return cells.some(cell => cell.includes(arrow)) ? [[...shown, ...cells]] : []
  })
  return columns(head, rows)
}

const arrow = ' → '

function change(before: number = 0, after: number = 0, text: (number: number) => string): string {
  return text(before) === text(after) ? text(after) : `${text(before)}${arrow}${text(after)}`
}

/** The findings that have no counterpart in `others` with the same kind, resource and reason. Their numbers may differ. */
function without(findings: readonly Finding[], others: readonly Finding[]): readonly Finding[] {
  const keyOf = (finding: Finding): string =>
    JSON.stringify(Object.entries(finding).filter(([, value]) => typeof value === 'string'))
  const known = new Set(others.map(keyOf))
  return findings.filter(one => !known.has(keyOf(one)))
}
