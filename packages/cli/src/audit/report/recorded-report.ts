import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isRecord } from '../../definition/shape.ts'
import { refused } from '../../failure.ts'
import type { CommandHost } from '../../host.ts'
import { oneLine } from '../../one-line.ts'
import { type Finding, relistReasons } from './findings.ts'
import type { AuditReport } from './report.ts'

/** Reads a report that `wherry audit` wrote with `--record` or `--json`. Rejects if the file has none. */
export async function recordedReport(file: string, { cwd }: CommandHost): Promise<AuditReport> {
  const text = await readFile(resolve(cwd, file), 'utf8')
  const value = parsed(text)
  if (!isReport(value))
    throw refused(`${file} is no report of wherry audit: name a file that --record or --json has written`)
  const unknown = value.findings.find(one => !isFinding(one))
  if (unknown !== undefined)
    throw refused(
      `${file} has a finding that this version does not know: ${oneLine(JSON.stringify(unknown))}. Compare it with the version of wherry that wrote it`,
    )
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The fields of each finding besides its name: those with texts, and those with numbers. */
const fields: Readonly<Record<Finding['finding'], readonly [texts: readonly string[], numbers: readonly string[]]>> = {
  'no-requests': [[], []],
  'whole-kind': [
    ['resource', 'namespace'],
    ['distinct', 'used', 'bytes'],
  ],
  relists: [['resource', 'reason'], ['times']],
  'unchanged-writes': [['resource'], ['times', 'of']],
  'requests-at-rest': [['request'], ['times', 'seconds']],
  'game-received': [['resource'], ['objects', 'bytes']],
  'game-memory': [[], ['grownBytes', 'maxGrowthBytes']],
  forbidden: [['request'], ['times']],
}

/** Whether a finding has all that its text reads. */
function isFinding(one: Finding): boolean {
  if (!Object.hasOwn(fields, one.finding) || !areRows([one], ...fields[one.finding])) return false
  return one.finding !== 'relists' || Object.hasOwn(relistReasons, one.reason)
}

/** Whether a value has all that a comparison reads. */
function isReport(value: unknown): value is AuditReport {
  if (!isRecord(value) || typeof value.seconds !== 'number' || !isRecord(value.others)) return false
  const counts = ['get', 'create', 'update', 'patch', 'delete', 'unchanged', 'bytes', 'getsPerMinute']
  return (
    areRows(value.collections, ['resource', 'namespace', 'selector'], ['lists', 'watches', 'objects', 'bytes']) &&
    areRows(value.byName, ['resource'], counts) &&
    areRows(value.patches, ['resource', 'manager', 'type'], ['times', 'unchanged']) &&
    areRows(value.memory, [], ['second', 'rssBytes']) &&
    areRows(value.findings, ['finding'], []) &&
    areRows([value.others], [], ['requests', 'bytes']) &&
    (value.game === undefined || isGame(value.game))
  )
}

function isGame(value: unknown): boolean {
  return (
    areRows([value], [], ['rssBeforeBytes', 'rssMostBytes', 'rssAfterBytes']) &&
    isRecord(value) &&
    isRecord(value.counts) &&
    Object.values(value.counts).every(count => typeof count === 'number') &&
    areRows(value.received, [], ['objects', 'bytes'])
  )
}

function areRows(value: unknown, texts: readonly string[], numbers: readonly string[]): boolean {
  const isRow = (row: unknown): boolean =>
    isRecord(row) &&
    texts.every(name => typeof row[name] === 'string') &&
    numbers.every(name => typeof row[name] === 'number')
  return Array.isArray(value) && value.every(isRow)
}
