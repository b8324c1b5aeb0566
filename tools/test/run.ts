import { type Found, type Options, type Step, StepError } from './step.ts'

export interface Totals {
  readonly passed: number
  readonly failed: number
}

/** How many cores a run may keep busy. A step that is not `alone` keeps one busy. */
const atOnce = 2

/**
 * Runs the steps, those that are not `alone` two at a time. Prints how each step went when it ends, then the failures
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
  const run = async (step: Step): Promise<void> => {
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
  const running = new Set<Promise<void>>()
  for (const step of steps) {
    while (running.size >= (step.alone ? 1 : atOnce)) await Promise.race(running)
    const one = run(step).finally(() => running.delete(one))
    running.add(one)
    if (step.alone) await one
  }
  await Promise.all(running)
  if (broken.length > 0) print(`failed: ${broken.join(', ')} (one alone: npm test -- --only ${broken[0]})`)
  print(
    `seed of the property tests: ${options.propertySeed} (the same again: npm test -- --seed ${options.propertySeed})`,
  )
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
