import { parseArgs } from 'node:util'

export const usage = `usage: npm run demo [-- OPTIONS]
  --objects N      so many ConfigMaps, and as many Secrets (default 201; 31 with --quick)
  --size KB        of each (default 500)
  --quick          all in less than half a minute, with fewer objects
  --embedded       against the embedded API server, also where there is a real one
  --kubeconfig F   on the cluster of this kubeconfig, in a namespace that is made and removed; asks first
  --yes            does not ask
  --json           the figures on stdout, one JSON object a line
  --report FILE    where the page goes (default demo-report.html)`

/** What the demo is asked for. */
export interface DemoOptions {
  readonly objects: number
  readonly bytes: number
  readonly quick: boolean
  readonly embedded: boolean
  readonly kubeconfig: string | undefined
  readonly yes: boolean
  readonly json: boolean
  readonly report: string
}

/** Reads the command line. `undefined`: help is asked for. Throws an error with a line that names the problem. */
export function demoOptions(args: readonly string[]): DemoOptions | undefined {
  const { values } = parseArgs({
    args: args.filter(arg => arg !== '--'),
    options: {
      objects: { type: 'string' },
      size: { type: 'string' },
      quick: { type: 'boolean', default: false },
      embedded: { type: 'boolean', default: false },
      kubeconfig: { type: 'string' },
      yes: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      report: { type: 'string', default: 'demo-report.html' },
      help: { type: 'boolean', default: false },
    },
  })
  const { quick, embedded, kubeconfig, yes, json, report, help } = values
  if (help) return undefined
  if (embedded && kubeconfig !== undefined) throw new Error('--embedded and --kubeconfig exclude each other')
  const objects = wholeNumber('objects', values.objects, 2, 5_000) ?? (quick ? 31 : 201)
  // A real server takes no request beyond 3 MB, and stores no object beyond 1.5 MB.
  const bytes = (wholeNumber('size', values.size, 1, 1_000) ?? 500) * 1000
  return { objects, bytes, quick, embedded, kubeconfig, yes, json, report }
}

function wholeNumber(name: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= min && value <= max) return value
  throw new Error(`--${name} takes a whole number from ${min} to ${max}, not ${text}`)
}
