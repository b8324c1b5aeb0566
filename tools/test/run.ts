import { type Found, type Options, type Step, StepError } from './step.ts'

export interface Totals {
  readonly passed: number
  readonly failed: number
}

/**
 * Runs the steps one after the other, says how each went as it goes, and ends with the failures
 * and one last line: `N passed, N failed`, summed over all.
 */
export async function runSteps(
  steps: readonly Step[],
  options: Options,
  print: (line: string) => void,
): Promise<Totals> {
  let passed = 0
  let failed = 0
  const broken: string[] = []
  for (const step of steps) {
    if (step.live) print(`${step.name} …`)
    const start = performance.now()
    const found = await bounded(step, options)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    const failures = Math.max(found.failedCount ?? found.failures.length, found.failures.length > 0 ? 1 : 0)
    passed += found.passed
    failed += failures
    const verdict = failures === 0 ? 'ok' : 'FAILED'
    print(`${step.name.padEnd(14)} ${verdict.padEnd(7)} ${counted(found.passed, failures)} ${seconds} s`)
    for (const note of found.notes ?? []) print(`    ${note}`)
    for (const failure of found.failures) print(indented(failure))
    if (failures > 0) broken.push(step.name)
  }
  if (broken.length > 0) print(`failed: ${broken.join(', ')} (one alone: npm test -- --only ${broken[0]})`)
  print(`${passed} passed, ${failed} failed`)
  return { passed, failed }
}

/** The step's outcome; a throw, an overrun and a step that tested nothing are failures too. */
async function bounded(step: Step, options: Options): Promise<Found> {
  let limit: NodeJS.Timeout | undefined
  const overrun = new Promise<Found>(resolve => {
    const failures = [`took longer than ${step.limitMs / 1000} s`]
    limit = setTimeout(() => resolve({ passed: 0, failures }), step.limitMs)
  })
  try {
    const found = await Promise.race([step.run(options), overrun])
    if (found.passed === 0 && found.failures.length === 0 && !found.failedCount)
      return { ...found, failures: ['tested nothing'] }
    return found
  } catch (error) {
    return { passed: 0, failures: [explained(error)] }
  } finally {
    clearTimeout(limit)
  }
}

function counted(passed: number, failed: number): string {
  return (failed === 0 ? `${passed}` : `${passed} of ${passed + failed}`).padStart(9)
}

function indented(text: string): string {
  return text.replace(/^/gm, '    ')
}

function explained(error: unknown): string {
  if (error instanceof StepError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
