/**
 * Audits the same operator on each library, in front of an embedded server: `npm run audits [-- NAME …] [--real] [--json | --markdown | --svg]`. `--svg` plays the
 * game with each program, and draws its memory and the bytes that it received over time. `many-watches` is a
 * program with 200 watches on 100,000 objects. The programs in Go, Rust and Python are built if their toolchains are there. Progress goes to stderr; the table goes
 * to stdout. Ends with 1 if a toolchain is missing, a program fails, or the findings are not exactly the expected ones.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startApiServer } from '@wherry/testing'
import { bytesText } from '../../packages/cli/src/audit/report/bytes-text.ts'
import { receivedBytesOf } from '../../packages/cli/src/audit/report/report.ts'
import { oneLine } from '../../packages/cli/src/one-line.ts'
import { root } from '../../tools/workspace.ts'
import { type AuditedProgram, auditedPrograms } from './audited-programs.ts'
import { gamePicture } from './game-picture.ts'
import { auditManyWatches } from './many-watches.ts'
import { findingName, playAudit } from './play-audit.ts'
import { type AuditedRow, programTable } from './program-table.ts'

const USAGE = 'usage: npm run audits [-- NAME …] [--real] [--json | --markdown | --svg]'
const many = 'many-watches'
/** The game of the picture, which is that of `--game` without counts. */
const game = 'size=500kB'

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: args.filter(arg => arg !== '--'),
    allowPositionals: true,
    options: {
      real: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      svg: { type: 'boolean', default: false },
    },
  })
  const all = auditedPrograms()
  const names = [...all.map(({ name }) => name), many]
  const unknown = positionals.filter(name => !names.includes(name))
  if (unknown.length > 0) {
    console.error(`no such program: ${unknown.join(', ')}\n${USAGE}\nprograms: ${names.join(', ')}`)
    return 2
  }
  const isWanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name)
  const programs = all.filter(({ name }) => isWanted(name))
  const missing = missingIn(programs)
  if (missing !== undefined) throw new Error(missing)
  const rows: AuditedRow[] = []
  for (const program of programs) {
    console.error(`audits ${program.name} (${program.library})`)
    const command = await program.command().catch((error: Error) => {
      throw new Error(`${program.name} can't be built: ${oneLine(error.message)}`)
    })
    await using server = await (values.real ? startApiServer({ kind: 'real' }) : startApiServer({ isolate: true }))
    const row = { program, report: await playAudit(command, server, { game: values.svg ? game : undefined }) }
    rows.push(row)
    if (values.json) console.log(jsonLine(row))
  }
  if (values.svg) {
    process.stdout.write(gamePicture(rows))
    return 0
  }
  if (!values.json && rows.length > 0) console.log(programTable(rows, values.markdown))
  if (isWanted(many) && !values.real) console.log(await manyWatchesLine(values.json))
  const wrong = rows.filter(row => found(row) !== row.program.expected.join(', '))
  for (const row of wrong)
    console.error(
      `${row.program.name}: expected are ${row.program.expected.join(', ') || 'none'}, found are ${found(row)}`,
    )
  return wrong.length > 0 ? 1 : 0
}

const found = ({ report }: AuditedRow): string => report.findings.map(findingName).join(', ')

function jsonLine({ program: { name, library, expected }, report }: AuditedRow): string {
  return JSON.stringify({ name, library, expected, report })
}

/** The first toolchain that can't be run, in one line. */
function missingIn(programs: readonly AuditedProgram[]): string | undefined {
  for (const { name, library, needs = [] } of programs)
    for (const tool of needs)
      if (spawnSync(tool, ['--version']).error !== undefined)
        return `${name} (${library}) needs ${tool}, which is not on the PATH: install it, or name the programs that you want: ${USAGE}`
  return undefined
}

/** How much memory the auditor takes for many watches, and for a single one. */
async function manyWatchesLine(isJson: boolean): Promise<string> {
  console.error(`audits ${many}`)
  const wherry = [join(root, 'packages/cli/dist/bin.js')]
  const [size, single] = [
    { watches: 200, objectsEach: 500, objectBytes: 1_000 },
    { watches: 1, objectsEach: 10, objectBytes: 1_000 },
  ]
  const { report, auditorBytes } = await auditManyWatches({ ...size, wherry, node: [] })
  const { auditorBytes: leastBytes } = await auditManyWatches({ ...single, wherry, node: [] })
  const received = receivedBytesOf(report)
  if (isJson) return JSON.stringify({ name: many, ...size, received, auditorBytes, leastBytes })
  const objects = (size.watches * size.objectsEach).toLocaleString('en')
  const memory =
    auditorBytes === undefined || leastBytes === undefined
      ? 'unknown memory, since this is not Linux'
      : `${bytesText(auditorBytes)} at most, and ${bytesText(leastBytes)} for a single watch of ${single.objectsEach} objects`
  return `\n${size.watches} watches of ${objects} objects, ${bytesText(received)}: wherry audit itself took ${memory}.`
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
