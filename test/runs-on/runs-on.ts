import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inLanes } from '../../tools/in-lanes.ts'
import type { Found } from '../../tools/test/step.ts'
import { root } from '../../tools/workspace.ts'
import { outsideProject } from './project.ts'
import { runtimes } from './runtimes.ts'
import { compilers, permitted, runners, type Subject } from './subjects.ts'

/**
 * What docs/runs-on.md says of runtimes, module systems and tools holds for the packages as they are published, in a project outside of the workspace, which
 * installs them from their files. What the page says does not work fails as it says.
 */
export async function runsOnTest(): Promise<Found> {
  const found = await runtimes()
  const installing = Date.now()
  using project = await outsideProject()
  const started = Date.now()
  const first = compilers(project)
  const then = [...runners(project, found), ...permitted(project, found)]
  const outcomes = [...(await inLanes(2, first, outcome)), ...(await inLanes(2, then, outcome))]
  const failures = [...outcomes.filter(one => one !== undefined), ...faultsOfPage([...first, ...then])]
  const seconds = (from: number, to: number): string => `${((to - from) / 1000).toFixed(0)} s`
  const notes = [`installed in ${seconds(installing, started)}, tried in ${seconds(started, Date.now())}`]
  return { passed: outcomes.length - outcomes.filter(one => one !== undefined).length, failures, notes }
}

/** The problem with a subject; undefined if it is as the page says. */
async function outcome({ row, run, prints, works = true }: Subject): Promise<string | undefined> {
  const { code, output } = await run()
  let at = 0
  const missing = prints.find(line => {
    const found = output.indexOf(line, at)
    at = found + line.length
    return found === -1
  })
  if (missing === undefined && (code === 0) === works) return undefined
  const said = missing === undefined ? `ended with ${code}` : `did not print ${JSON.stringify(missing)}`
  return `${row}: ${said}:\n${output}`
}

/** Rows of docs/runs-on.md that nothing tries, and subjects without a row. A row with "not tried" in its second cell is left out. */
function faultsOfPage(subjects: readonly Subject[]): string[] {
  const page = readFileSync(join(root, 'docs/runs-on.md'), 'utf8')
  const cells = page
    .split('\n')
    .filter(line => line.startsWith('| ') && !line.startsWith('| ---'))
    .map(line => line.split(' | ').map(cell => cell.replace(/^\| /, '').trim()))
  const rows = cells.filter(([, works]) => works === 'yes' || works === '**no**').map(([name = '']) => name)
  const tried = new Set(subjects.map(({ row }) => row))
  return [
    ...rows.filter(row => !tried.has(row)).map(row => `docs/runs-on.md: nothing tries ${row}`),
    ...[...tried].filter(row => !rows.includes(row)).map(row => `docs/runs-on.md has no row ${row}`),
  ]
}
